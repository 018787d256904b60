import { Counter, Gauge, type Registry } from 'prom-client'
import type { MetricAbout } from './catalogue.js'

export function counter(registry: Registry, { name, help, labels }: MetricAbout): Counter<string> {
  return new Counter({ name, help, labelNames: labels, registers: [registry] })
}

/** A gauge that is read at each scrape. */
export function gauge(
  registry: Registry,
  { name, help, labels }: MetricAbout,
  read: (gauge: Gauge<string>) => void | Promise<void>,
): void {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      return read(this)
    },
  })
}

/** A counter whose owner counts itself: what it says at each scrape is taken over. */
export function ownCounter(
  registry: Registry,
  { name, help, labels }: MetricAbout,
  read: (set: (labels: Readonly<Record<string, string>>, value: number) => void) => void,
): void {
  new Counter({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset()
      read((values, value) => this.inc(values, value))
    },
  })
}
