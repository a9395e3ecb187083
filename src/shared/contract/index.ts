import { z } from 'zod'
import type { Failure, Result } from '../failure'
import { app, UpdatesView } from './app'
import { connections } from './connections'
import { mcp } from './mcp'
import { plans } from './plans'
import { PlaygroundProgress, playground } from './playground'
import { quota } from './quota'
import { register } from './register'
import { RelayView, relay } from './relay'
import { resources } from './resources'
import { rotation } from './rotation'
import { SandboxView, sandbox } from './sandbox'
import { team } from './team'
import { tools } from './tools'
import { usage } from './usage'

export * from './app'
export * from './common'
export * from './connections'
export * from './mcp'
export * from './plans'
export * from './playground'
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
  ...app,
  ...connections,
  ...mcp,
  ...plans,
  ...playground,
  ...quota,
  ...register,
  ...relay,
  ...resources,
  ...rotation,
  ...sandbox,
  ...team,
  ...tools,
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

const domains: ReadonlySet<unknown> = new Set(Object.keys(contract).map((name) => name.split('.', 1)[0]))

/** Events from the main process to the window. */
export const events = {
  /** The app or the command line changed data of these domains. The window must fetch it again. */
  'data.changed': z.strictObject({ domains: z.array(z.custom<Domain>((name) => domains.has(name))) }),
  /** Progress of playground runs, batched for one or two frames. */
  'playground.progress': z.strictObject({ news: z.array(PlaygroundProgress) }),
  'relay.changed': RelayView,
  'sandbox.changed': SandboxView,
  'updates.changed': UpdatesView,
  'window.command': z.strictObject({ command: z.enum(['palette', 'help', 'sidebar']) }),
  /** Navigation by a menu or notification. */
  'window.navigate': z.strictObject({ path: z.string() }),
}
export type EventName = keyof typeof events
export type EventPayload<N extends EventName> = z.output<(typeof events)[N]>

/** API of the preload script on `window.companion`. */
export interface Bridge {
  /** Result as JSON text. Cloning objects across the context bridge takes seconds for long lists. */
  call(name: string, input: unknown): Promise<Result<string, Failure>>
  on(listener: (name: string, payload: unknown) => void): () => void
}
