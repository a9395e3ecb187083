import { z } from 'zod'
import { amount, instant, row } from './parts'

/** An image of a repository, named with its tag (`1.4.2`). */
export const Image = z
  .strictObject({ name: z.string(), digest: z.string(), sizeBytes: amount, pushedAt: instant })
  .readonly()
export type Image = z.infer<typeof Image>

/** A repository of the container registry. */
export const Repository = z
  .looseObject({ id: z.string(), name: z.string(), images: z.array(Image).readonly(), ...row })
  .readonly()
export type Repository = z.infer<typeof Repository>

/** A robot account without its secret, which is derived and told once. */
const RobotAccount = z
  .looseObject({ id: z.string(), name: z.string(), permissions: z.array(z.string()).readonly(), ...row })
  .readonly()
export type RobotAccount = z.infer<typeof RobotAccount>

/** The container registry's part of the world. */
export const RegistryState = z
  .strictObject({ repositories: z.array(Repository).readonly(), robotAccounts: z.array(RobotAccount).readonly() })
  .readonly()
export type RegistryState = z.infer<typeof RegistryState>
