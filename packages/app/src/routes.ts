import { signal } from '@preact/signals'
import { type Place, placeOf } from './place.js'

/** Where in the app one is. */
export const route = signal<Place>(placeOf(location.hash))

export function followFragment(): void {
  addEventListener('hashchange', () => {
    route.value = placeOf(location.hash)
  })
}

export function goTo(fragment: string): void {
  location.hash = fragment
}
