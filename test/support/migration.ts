import type { MigrationControl } from '../../src/store/migration.js'

/** Lets older data be migrated, and says nothing. */
export function quiet(): MigrationControl {
  return { begins: () => {}, stepped: () => {}, finished: () => {}, isStopping: () => false }
}
