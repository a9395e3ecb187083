import type { Bridge, Domain, EventName, EventPayload, MethodInput, MethodName, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import {
  QueryClient,
  type QueryKey,
  skipToken,
  type UseMutationOptions,
  type UseQueryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

declare global {
  interface Window {
    readonly companion: Bridge
  }
}

/** Failure in a response of the main process. */
export class CallError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'CallError'
    this.failure = failure
  }
}

/** Failure of a rejected call. */
export const toFailure = (error: unknown): Failure =>
  error instanceof CallError ? error.failure : { code: 'internal.unexpected', message: String(error) }

/** Calls a method of the main process. Rejects only with `CallError`. */
export async function call<N extends MethodName>(name: N, input: MethodInput<N>): Promise<MethodOutput<N>> {
  const result = await window.companion.call(name, input).catch(() => undefined)
  if (!result) throw new CallError({ code: 'internal.unexpected', message: `No answer to ${name}.` })
  if (!result.ok) throw new CallError(result.error)
  // No validation is needed, because the main process validated the response against the same contract.
  return JSON.parse(result.value) as MethodOutput<N>
}

export const callKey = <N extends MethodName>(name: N, input: MethodInput<N> | undefined): QueryKey => [name, input]

/** Query cache. Queries do not retry or wait for a network, because the main process is local. */
export function createQueries(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  // Cache the list, because each fetch queries a console for every plan. Local changes invalidate the cache.
  queries.setQueryDefaults(['register.list'], { staleTime: 60_000 })
  return queries
}

type CallOptions<N extends MethodName, T> = Omit<UseQueryOptions<MethodOutput<N>, CallError, T>, 'queryKey' | 'queryFn'>

/** Calls a method unless `input` is undefined. The result is cached until its domain is invalidated. */
export function useCall<N extends MethodName, T = MethodOutput<N>>(
  name: N,
  input: MethodInput<N> | undefined,
  options: CallOptions<N, T> = {},
) {
  return useQuery<MethodOutput<N>, CallError, T>({
    ...options,
    queryKey: callKey(name, input),
    queryFn: input === undefined ? skipToken : () => call(name, input),
  })
}

type ActionOptions<N extends MethodName> = Omit<
  UseMutationOptions<MethodOutput<N>, CallError, MethodInput<N>>,
  'mutationFn'
> & {
  /** Domains whose queries are reloaded after the action, also if it fails. */
  readonly invalidates?: readonly Domain[]
}

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

/** Like `useAction`, but until it fails, further calls are ignored: a double click buys only one plan. */
export const useSingleAction: typeof useAction = (name, options) => {
  const isLocked = useRef(false)
  const action = useAction(name, {
    ...options,
    onError: (...failed) => {
      isLocked.current = false
      return options?.onError?.(...failed)
    },
  })
  const mutate: typeof action.mutate = (...args) => {
    if (isLocked.current) return
    isLocked.current = true
    action.mutate(...args)
  }
  return { ...action, mutate }
}

/** Creates ids of calls that can be canceled. A new id cancels the previous call. */
export function useCancelableCall() {
  const callId = useRef<string>(undefined)
  const cancel = (): void => {
    if (callId.current !== undefined) void call('calls.cancel', { callId: callId.current }).catch(() => undefined)
  }
  const createCallId = (): string => {
    cancel()
    callId.current = crypto.randomUUID()
    return callId.current
  }
  return { createCallId, cancel }
}

/** Domains whose data also depends on another domain. */
const dependentDomains: Readonly<Record<string, readonly Domain[]>> = {
  register: ['audit'],
  rotation: ['audit'],
  plans: ['register', 'quota', 'relay'],
  tools: ['register', 'relay'],
  account: ['register', 'quota'],
  usage: ['budgets'],
}

/** Domains to reload when `deferReloads` ends. */
const deferredDomains = new WeakMap<QueryClient, Set<string>>()

/** Changes many items and reloads the changed domains once at the end. With 25,000 keys, each reload takes 5 s. */
export async function deferReloads(queries: QueryClient, work: () => Promise<void>): Promise<void> {
  const domains = new Set<string>()
  deferredDomains.set(queries, domains)
  try {
    await work()
  } finally {
    deferredDomains.delete(queries)
    invalidateDomains(queries, [...domains])
  }
}

/** Reloads queries of these domains that are in use, and marks others as outdated. */
export function invalidateDomains(queries: QueryClient, domains: readonly string[]): void {
  if (domains.length === 0) return
  const deferred = deferredDomains.get(queries)
  if (deferred) {
    for (const domain of domains) deferred.add(domain)
    return
  }
  const allDomains = domains.flatMap((domain) => [domain, ...(dependentDomains[domain] ?? [])])
  void queries.invalidateQueries({
    predicate: ({ queryKey: [name] }) => allDomains.includes(String(name).split('.')[0] ?? ''),
  })
}

type EventMessage = { [N in EventName]: { readonly name: N; readonly payload: EventPayload<N> } }[EventName]

/** Subscribes to an event of the main process. Returns a function that unsubscribes. */
export function subscribeToEvent<N extends EventName>(
  name: N,
  listener: (payload: EventPayload<N>) => void,
): () => void {
  return window.companion.on((eventName, payload) => {
    // No validation is needed, because the main process validated the payload against the contract.
    if (eventName === name) listener(payload as EventPayload<N>)
  })
}

/** Updates the query cache when the main process sends events. Returns a function that unsubscribes. */
export function listen(queries: QueryClient): () => void {
  return window.companion.on((name, payload) => {
    // No validation is needed, because the main process validated the payload against the contract.
    const event = { name, payload } as EventMessage
    if (event.name === 'data.changed') invalidateDomains(queries, event.payload.domains)
    if (event.name === 'sandbox.changed') {
      queries.setQueryData(callKey('sandbox.get', {}), event.payload)
      // The sandbox started or stopped, which makes its account available or unavailable.
      if (event.payload.state !== 'starting') invalidateDomains(queries, ['account'])
    }
    if (event.name === 'relay.changed') {
      const previousRelay = queries.getQueryData<EventPayload<'relay.changed'>>(callKey('relay.get', {}))
      queries.setQueryData(callKey('relay.get', {}), event.payload)
      // Reload tools, because their status depends on whether the relay runs.
      if (previousRelay?.state !== event.payload.state) invalidateDomains(queries, ['tools'])
    }
    if (event.name === 'updates.changed') queries.setQueryData(callKey('updates.get', {}), event.payload)
  })
}

/** Navigates when the main process requests it with an event. */
export function useMainNavigation(navigate: (path: string) => void): void {
  useEffect(() => subscribeToEvent('window.navigate', ({ path }) => navigate(path)), [navigate])
}
