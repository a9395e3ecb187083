import { z } from 'zod'
import { AddressCorrection, Nothing } from './common'
import { method } from './define'

/** The base addresses of one connection; every one may be left empty (then its screens say so). */
export const addressKeys = [
  'tokenPlanUrl',
  'consoleUrl',
  'identityApiUrl',
  'runtimeApiUrl',
  'memoryApiUrl',
  'registryApiUrl',
  'aipApiUrl',
  'inferenceUrl',
  'registryHost',
] as const
export const AddressKey = z.enum(addressKeys)
export type AddressKey = z.infer<typeof AddressKey>

const Addresses = z.partialRecord(AddressKey, z.string().max(2000))

export const ConnectionView = z.strictObject({
  id: z.string(),
  name: z.string(),
  addresses: Addresses,
  createdAt: z.iso.datetime(),
})
export type ConnectionView = z.infer<typeof ConnectionView>

export const connections = {
  'connections.list': method(Nothing, z.array(ConnectionView)),
  /** Adds (no `id`) or changes one; addresses are put right on entry and every correction is told. A refusal names its `field`. */
  'connections.save': method(
    z.strictObject({ id: z.string().optional(), name: z.string().trim().min(1).max(50), addresses: Addresses }),
    z.strictObject({
      connection: ConnectionView,
      corrections: z.array(z.strictObject({ field: AddressKey, correction: AddressCorrection })),
    }),
  ),
  'connections.remove': method(z.strictObject({ id: z.string() }), Nothing),
}
