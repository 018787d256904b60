import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { MetricAbout } from './catalogue.js'

export function counter(registry: Registry, about: MetricAbout): Counter<string> {
  return new Counter({ ...about, registers: [registry] })
}

/** `bounds` are the inclusive upper bounds of the buckets. */
export function histogram(registry: Registry, about: MetricAbout, bounds: readonly number[]): Histogram<string> {
  return new Histogram({ ...about, buckets: [...bounds], registers: [registry] })
}

/** A gauge that is read at each scrape. What is not set then has no sample. */
export function gauge(
  registry: Registry,
  about: MetricAbout,
  read: (gauge: Gauge<string>) => void | Promise<void>,
): void {
  new Gauge({
    ...about,
    registers: [registry],
    collect() {
      this.reset()
      return read(this)
    },
  })
}

/** A counter that another part keeps: each scrape takes over its values. */
export function ownCounter(
  registry: Registry,
  about: MetricAbout,
  read: (set: (labels: Readonly<Record<string, string>>, value: number) => void) => void,
): void {
  new Counter({
    ...about,
    registers: [registry],
    collect() {
      this.reset()
      read((values, value) => this.inc(values, value))
    },
  })
}
