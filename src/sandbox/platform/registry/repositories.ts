import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { RegistryState, Repository } from '../../state/registry-state'
import type { Store } from '../../state/store'
import { type Call, created, nothing, type Operation, ok } from '../operation'
import { listPaging, pageOf } from '../paging'
import { conflict, invalidName, notFound } from '../refusals'

/** Puts a part of the registry into effect. */
export function replaceRegistry(store: Store, change: Partial<RegistryState>): void {
  const world = store.world()
  store.replace({ ...world, registry: { ...world.registry, ...change } })
}

/** The repository of the path. Throws 404. */
export function repositoryOf({ store, params }: Call): Repository {
  const repository = store.world().registry.repositories.find(({ id }) => id === params.repoId)
  if (repository) return repository
  throw notFound(`There is no repository with the id "${params.repoId?.slice(0, 60)}".`)
}

/** Where the images of a repository are pushed to and pulled from; this listener stands for the registry's host. */
export const uriOf = ({ platformUrl }: Call, name: string): string => `${new URL(platformUrl).host}/${name}`

/** The name of a repository as image references word it (ours; the spec gives no rule). */
const namePattern = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/
const longestName = 100

function checkedName(name: string): string {
  if (name.length <= longestName && namePattern.test(name)) return name
  throw invalidName(
    `name: Use 1 to ${longestName} small letters, digits, and - _ . / between them, for example "team/chat-agent".`,
  )
}

const New = z.looseObject({ name: z.string() })

const viewFor =
  (call: Call) =>
  ({ images, ...rest }: Repository): unknown => ({
    ...rest,
    imageCount: images.length,
    sizeBytes: images.reduce((sum, image) => sum + image.sizeBytes, 0),
    uri: uriOf(call, rest.name),
  })

const create: Operation['run'] = async (call) => {
  const { store } = call
  const body = await call.body(New)
  const name = checkedName(body.name)
  const { repositories } = store.world().registry
  if (repositories.some((one) => one.name === name)) {
    throw conflict('ALREADY_EXISTS', `There is already a repository named "${name}". Choose another name.`)
  }
  const now = new Date(store.nowMs()).toISOString()
  const repository = { ...body, id: `repository-${randomUUID()}`, name, images: [], createdAt: now, updatedAt: now }
  replaceRegistry(store, { repositories: [...repositories, repository] })
  return created(viewFor(call)(repository))
}

const list: Operation['run'] = (call) =>
  pageOf({ query: call.query, paging: listPaging }, call.store.world().registry.repositories, viewFor(call))

const remove: Operation['run'] = (call) => {
  const repository = repositoryOf(call)
  const { length } = repository.images
  if (length > 0) {
    const held = length === 1 ? 'an image. Delete it' : `${length} images. Delete them`
    throw conflict('REPOSITORY_NOT_EMPTY', `The repository "${repository.name}" holds ${held} first.`)
  }
  const { repositories } = call.store.world().registry
  replaceRegistry(call.store, { repositories: repositories.filter((one) => one !== repository) })
  return nothing
}

const path = '/v1/repository'

/** Repositories; one with images cannot be deleted (spec, "Limits"). */
export const repositoryOperations: readonly Operation[] = [
  { id: 'registry.repositories.list', method: 'GET', path, run: list },
  { id: 'registry.repositories.create', method: 'POST', path, run: create },
  {
    id: 'registry.repositories.get',
    method: 'GET',
    path: `${path}/{repoId}`,
    run: (call) => ok(viewFor(call)(repositoryOf(call))),
  },
  { id: 'registry.repositories.delete', method: 'DELETE', path: `${path}/{repoId}`, run: remove },
]
