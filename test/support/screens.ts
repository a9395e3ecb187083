import { generatePath, matchPath } from 'react-router'

/** Path patterns of screens whose path contains an id. */
const patterns = [
  '/register/holders/:holderId',
  '/identities/agents/:id',
  '/identities/static-providers/:id',
  '/identities/delegated-providers/:id',
  '/identities/oauth2-providers/:id',
  '/registry/repositories/:id',
  '/models/list/:id',
  '/models/keys/:id',
  '/memory/:id',
  '/memory/:id/:tab',
  '/runtimes/:id',
  '/runtimes/:id/:tab',
  '/playground/chat/:conversationId',
  '/playground/compare/:comparisonId',
  '/playground/prompts/:promptId',
]

/** Paths of screens with two segments and no id. */
const staticRoutes = [
  '/register/holders',
  '/register/rotations',
  '/register/audit',
  '/identities/agents',
  '/identities/static-providers',
  '/identities/delegated-providers',
  '/identities/oauth2-providers',
  '/registry/repositories',
  '/registry/robots',
  '/registry/docker',
  '/models/list',
  '/models/keys',
  '/playground/compare',
  '/playground/prompts',
  '/playground/completion',
  '/playground/embeddings',
  '/runtimes/check',
]

/**
 * Name of the screen at a URL of the window (`#/models/keys/ci?size=10`): its path with parameter names in place of ids
 * (`/models/keys/:id`). A tab keeps its name.
 */
export function getScreen(hash: string): string {
  const path = hash.replace(/^#/, '').split('?')[0] ?? ''
  if (staticRoutes.includes(path) || path.split('/').length <= 2) return path
  for (const pattern of patterns) {
    const pathMatch = matchPath(pattern, path)
    if (!pathMatch) continue
    const { tab } = pathMatch.params
    const ownParameters = Object.fromEntries(Object.keys(pathMatch.params).map((name) => [name, `:${name}`]))
    return decodeURIComponent(generatePath(pattern, { ...ownParameters, ...(tab !== undefined && { tab }) }))
  }
  throw new Error(`The screens (test/support/screens.ts) have no row for ${path}.`)
}
