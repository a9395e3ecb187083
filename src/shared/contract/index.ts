import type { z } from 'zod'
import type { Failure, Result } from '../failure'
import { account } from './account'
import { app, settings, updates } from './app'
import { budgets } from './budgets'
import { connections, operations } from './connections'
import { doctor } from './doctor'
import type { events } from './events'
import { handouts } from './handouts'
import { mcp } from './mcp'
import { metrics } from './metrics'
import { plans } from './plans'
import { playground } from './playground'
import { profiles } from './profiles'
import { quota } from './quota'
import { register } from './register'
import { relay } from './relay'
import { resources } from './resources'
import { rotation } from './rotation'
import { sandbox } from './sandbox'
import { team } from './team'
import { tools } from './tools'
import { usage } from './usage'

export * from './account'
export * from './app'
export * from './budgets'
export * from './common'
export * from './connections'
export * from './doctor'
export * from './handouts'
export * from './mcp'
export * from './metrics'
export * from './plans'
export * from './playground'
export * from './profiles'
export * from './quota'
export * from './register'
export * from './relay'
export * from './resources'
export * from './rotation'
export * from './sandbox'
export * from './team'
export * from './tools'
export * from './usage'

/** All methods of the main process. */
export const contract = {
  ...account,
  ...app,
  ...budgets,
  ...connections,
  ...doctor,
  ...handouts,
  ...mcp,
  ...metrics,
  ...operations,
  ...plans,
  ...playground,
  ...profiles,
  ...quota,
  ...register,
  ...relay,
  ...resources,
  ...rotation,
  ...sandbox,
  ...settings,
  ...team,
  ...tools,
  ...updates,
  ...usage,
}

type Contract = typeof contract
export type MethodName = keyof Contract
/** Domains of the contract, used by `data.changed` and query invalidation. */
export type Domain = MethodName extends `${infer D}.${string}` ? D : never
export type MethodInput<N extends MethodName> = z.input<Contract[N]['input']>
export type MethodOutput<N extends MethodName> = z.output<Contract[N]['output']>

/** One handler per method. Missing or undeclared ones fail to compile. A handler without a result may return nothing. */
export type Handlers = {
  readonly [N in MethodName]: (
    input: z.output<Contract[N]['input']>,
  ) =>
    | Promise<MethodOutput<N>>
    | MethodOutput<N>
    | (MethodOutput<N> extends Record<string, never> ? Promise<void> : never)
}
export type DomainHandlers<D extends Domain> = Pick<Handlers, Extract<MethodName, `${D}.${string}`>>

export type EventName = keyof typeof events
export type EventPayload<N extends EventName> = z.output<Awaited<ReturnType<(typeof events)[N]>>>

/** API of the preload script on `window.companion`. */
export interface Bridge {
  /** Result as JSON text. Cloning objects across the context bridge takes seconds for long lists. */
  call(name: string, input: unknown): Promise<Result<string, Failure>>
  on(listener: (name: string, payload: unknown) => void): () => void
}
