import type { Bridge, Domain, EventName, EventPayload, MethodInput, MethodName, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import {
  QueryClient,
  type QueryKey,
  type UseMutationOptions,
  type UseQueryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'

declare global {
  interface Window {
    readonly companion: Bridge
  }
}

/** Thrown when main answers with a failure; `failure` chooses the words. */
export class CallError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'CallError'
    this.failure = failure
  }
}

/** Asks the main process; rejects with `CallError` and with nothing else. */
export async function call<N extends MethodName>(name: N, input: MethodInput<N>): Promise<MethodOutput<N>> {
  const result = await window.companion.call(name, input).catch(() => undefined)
  if (!result) throw new CallError({ code: 'internal.unexpected', message: `No answer to ${name}.` })
  if (!result.ok) throw new CallError(result.error)
  // Main has parsed the answer strictly against this very contract.
  return JSON.parse(result.value) as MethodOutput<N>
}

/** The key under which the answer of one call is kept. */
export const callKey = <N extends MethodName>(name: N, input: MethodInput<N>): QueryKey => [name, input]

const toDomain = (key: QueryKey): string => String(key[0]).split('.')[0] ?? ''

/** The cache of answers. Main is the truth: nothing is retried here, and nothing waits for a network. */
export function createQueries(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  // One question to a console for every plan there is: not at each page that names keys. A change made here asks again at once.
  queries.setQueryDefaults(['register.list'], { staleTime: 60_000 })
  return queries
}

type CallOptions<N extends MethodName, T> = Omit<UseQueryOptions<MethodOutput<N>, CallError, T>, 'queryKey' | 'queryFn'>

/** Reads through the main process, kept until its domain changes. */
export function useCall<N extends MethodName, T = MethodOutput<N>>(
  name: N,
  input: MethodInput<N>,
  options: CallOptions<N, T> = {},
) {
  return useQuery<MethodOutput<N>, CallError, T>({
    ...options,
    queryKey: callKey(name, input),
    queryFn: () => call(name, input),
  })
}

type ActionOptions<N extends MethodName> = Omit<
  UseMutationOptions<MethodOutput<N>, CallError, MethodInput<N>>,
  'mutationFn'
> & {
  /** Domains whose answers are asked for again once it is done, well or not. */
  readonly invalidates?: readonly Domain[]
}

/** Does something through the main process. */
export function useAction<N extends MethodName>(name: N, options: ActionOptions<N> = {}) {
  const queries = useQueryClient()
  const { invalidates = [], ...rest } = options
  return useMutation<MethodOutput<N>, CallError, MethodInput<N>>({
    ...rest,
    mutationFn: (input) => call(name, input),
    onSettled: async (...settled) => {
      invalidateDomains(queries, invalidates)
      await rest.onSettled?.(...settled)
    },
  })
}

/** What the register joins: keys of accounts, those kept here, and the tools that use them. */
const inRegister: ReadonlySet<string> = new Set(['account', 'plans', 'tools'])

/** Asks again for everything of these domains that is on the screen, and forgets the rest. */
export function invalidateDomains(queries: QueryClient, domains: readonly string[]): void {
  if (domains.length === 0) return
  const all = domains.some((domain) => inRegister.has(domain)) ? [...domains, 'register'] : domains
  void queries.invalidateQueries({ predicate: ({ queryKey }) => all.includes(toDomain(queryKey)) })
}

type AnyEvent = { [N in EventName]: { readonly name: N; readonly payload: EventPayload<N> } }[EventName]

/** What follows from a change of something else: the audit trail tells of keys; what is left depends on the plans there are, the relay on tools and plans. */
const followers: Readonly<Record<string, readonly Domain[]>> = {
  register: ['audit'],
  rotation: ['audit'],
  plans: ['quota', 'relay'],
  tools: ['relay'],
  account: ['quota'],
  usage: ['budgets'],
}

const withFollowers = (domains: readonly string[]): readonly string[] => [
  ...domains,
  ...domains.flatMap((domain) => followers[domain] ?? []),
]

/** Hears one kind of what main says unasked; gives how to stop. */
export function hear<N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void): () => void {
  return window.companion.on((said, payload) => {
    // Main has parsed the payload against the contract.
    if (said === name) listener(payload as EventPayload<N>)
  })
}

/** Keeps the cache in step with what main says unasked: changed data, the sandbox, the relay; gives how to stop. */
export function listen(queries: QueryClient): () => void {
  return window.companion.on((name, payload) => {
    // Main has parsed the payload against the contract.
    const event = { name, payload } as AnyEvent
    if (event.name === 'data.changed') invalidateDomains(queries, withFollowers(event.payload.domains))
    if (event.name === 'sandbox.changed') {
      queries.setQueryData(callKey('sandbox.get', {}), event.payload)
      // Its account answers from now on, or no longer.
      if (event.payload.state !== 'starting') invalidateDomains(queries, withFollowers(['account']))
    }
    if (event.name === 'relay.changed') {
      const before = queries.getQueryData<EventPayload<'relay.changed'>>(callKey('relay.get', {}))
      queries.setQueryData(callKey('relay.get', {}), event.payload)
      // Whether tools that go through it get an answer.
      if (before?.state !== event.payload.state) invalidateDomains(queries, ['tools'])
    }
    if (event.name === 'updates.changed') queries.setQueryData(callKey('updates.get', {}), event.payload)
  })
}

/** Goes where main asks to. */
export function useMainNavigation(navigate: (path: string) => void): void {
  useEffect(() => hear('window.navigate', ({ path }) => navigate(path)), [navigate])
}
