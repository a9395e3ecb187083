/** One line of a routing table. `{name}` in the pattern stands for a part of the path without a slash. */
export interface Route<Handler> {
  readonly method: string
  readonly pattern: string
  readonly handler: Handler
}

/** The route that fits, with the decoded values of its path parameters. */
export interface Match<Handler> {
  readonly handler: Handler
  readonly params: Readonly<Record<string, string>>
}

/** Finds the route of a request. */
type FindRoute<Handler> = (method: string, path: string) => Match<Handler> | undefined

const compile = (pattern: string): RegExp => {
  const source = pattern.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+?)')
  return new RegExp(`^${source}$`)
}

function decodeAll(groups: Readonly<Record<string, string>>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    return undefined
  }
}

/** Turns a table into a lookup; the first fitting line wins, and a path that cannot be decoded fits none. */
export function createRouter<Handler>(routes: readonly Route<Handler>[]): FindRoute<Handler> {
  const compiled = routes.map((route) => ({ ...route, expression: compile(route.pattern) }))
  const search: FindRoute<Handler> = (method, path) => {
    for (const route of compiled) {
      const found = route.method === method ? route.expression.exec(path) : null
      const params = found ? decodeAll(found.groups ?? {}) : undefined
      if (params) return { handler: route.handler, params }
    }
    return undefined
  }
  // Paths without parameters are looked up once and for all.
  const plain = routes.filter(({ pattern }) => !pattern.includes('{'))
  const known = new Map(plain.map(({ method, pattern }) => [`${method} ${pattern}`, search(method, pattern)]))
  return (method, path) => known.get(`${method} ${path}`) ?? search(method, path)
}
