import { create } from 'zustand'

/** How many versions are remembered of an endpoint. */
const longest = 20

/** Which endpoint of which connection. */
export interface EndpointKey {
  readonly connectionId: string
  readonly runtimeId: string
  readonly endpointId: string
}

const keyOf = ({ connectionId, runtimeId, endpointId }: EndpointKey): string =>
  JSON.stringify([connectionId, runtimeId, endpointId])

interface SeenVersions {
  readonly seen: Readonly<Record<string, readonly string[]>>
  readonly see: (endpoint: EndpointKey, version: string) => void
}

/** At which versions endpoints were seen to point, one after the other: the platform tells the present one alone. Kept while the window lives. */
export const useSeenVersions = create<SeenVersions>((set) => ({
  seen: {},
  see: (endpoint, version) =>
    set((store) => {
      const key = keyOf(endpoint)
      const before = store.seen[key] ?? []
      if (before.at(-1) === version) return store
      return { seen: { ...store.seen, [key]: [...before, version].slice(-longest) } }
    }),
}))

/** The version that an endpoint was seen to point at before the present one. */
export const versionBefore = (seen: SeenVersions['seen'], endpoint: EndpointKey): string | undefined =>
  seen[keyOf(endpoint)]?.at(-2)
