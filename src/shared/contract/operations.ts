import { z } from 'zod'
import { Failure } from '../failure'
import { Nothing } from './common'
import { method } from './define'

/** What the platform does asynchronously (spec, "States", Platform API key). */
export const OperationKind = z.enum(['apiKey.create', 'apiKey.delete'])
export type OperationKind = z.infer<typeof OperationKind>

/** Something that was begun at the platform and is followed to its end, also after a restart. */
export const OperationView = z.strictObject({
  id: z.string(),
  kind: OperationKind,
  connectionId: z.string(),
  connectionName: z.string(),
  /** The name of the resource. */
  subject: z.string(),
  state: z.enum(['running', 'succeeded', 'failed']),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  failure: Failure.optional(),
})
export type OperationView = z.infer<typeof OperationView>

export const operations = {
  /** The newest first. */
  'operations.list': method(Nothing, z.array(OperationView)),
  /** Takes one off the list; one that is running is no longer followed. */
  'operations.dismiss': method(z.strictObject({ id: z.string() }), Nothing),
  /** Follows one that failed once more. */
  'operations.follow': method(z.strictObject({ id: z.string() }), Nothing),
}
