import { z } from 'zod'
import { invalidInput, invalidName } from '../refusals'
import { flavors } from './flavors'

/** A number a body must hold, with the words that tell its limits. */
function between(least: number, most: number, says = `must be a number from ${least} to ${most}`) {
  return z.number(says).min(least, says).max(most, says)
}

/** The same for a whole number. */
export function wholeBetween(least: number, most: number) {
  const says = `must be a whole number from ${least} to ${most}`
  return between(least, most, says).int(says)
}

const text = z.string().min(1, 'must not be empty').max(1_000, 'must have at most 1000 characters')
const percent = between(25, 75, 'must be a percentage from 25 to 75')

const fields = z.looseObject({
  name: z.string(),
  description: z.string().max(1_000, 'must have at most 1000 characters'),
  image: text,
  flavorId: text,
  replicas: wholeBetween(1, 10),
  cpuUtilizationThreshold: percent,
  memoryUtilizationThreshold: percent,
  environment: z.record(z.string(), z.string()),
})

/** What a PATCH may change: any part. The limits are the spec's ("Limits"), the names of the fields are ours; other fields are kept. */
export const ConfigChange = fields.partial()

/** What makes a runtime; which fields are required is ours. */
export const NewConfig = ConfigChange.required({ name: true, image: true, flavorId: true })

/** What a new runtime has where its maker says nothing (ours). */
export const usualConfig = { replicas: 1, cpuUtilizationThreshold: 70, memoryUtilizationThreshold: 70 }

const serverOwned = ['id', 'status', 'version', 'clientId', 'clientSecret', 'createdAt', 'updatedAt']

const namePattern = /^[a-zA-Z0-9_-]{1,50}$/

/** A name of a runtime or an endpoint; the rule is ours, taken from that of identities. Throws 400. */
export function checkName(name: string | undefined): void {
  if (name === undefined || namePattern.test(name)) return
  throw invalidName('name: Use 1 to 50 letters (a-z, A-Z), digits, - and _.')
}

/** The part of a body that becomes configuration. Throws 400 for a name against the rule or a flavor that is not offered. */
export function readConfig(body: z.infer<typeof ConfigChange>): Readonly<Record<string, unknown>> {
  checkName(body.name)
  if (body.flavorId !== undefined && !flavors.some(({ id }) => id === body.flavorId)) {
    throw invalidInput(`flavorId: must be one of ${flavors.map(({ id }) => id).join(', ')}`)
  }
  return Object.fromEntries(Object.entries(body).filter(([name]) => !serverOwned.includes(name)))
}
