import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { HttpError } from '../http/listener'
import type { Store } from '../state/store'
import type { RegistryState, Repository } from '../state/world'
import { basicClient } from './iam'
import {
  type Call,
  conflict,
  invalidName,
  noContent,
  notFound,
  type Operation,
  okReply,
  refuseTakenName,
  requireParameter,
  requireRow,
  respondWithPage,
  type Service,
  toCreatedReply,
} from './operation'

function replaceRegistry(store: Store, change: Partial<RegistryState>): void {
  const world = store.world()
  store.replace({ ...world, registry: { ...world.registry, ...change } })
}

/** Finds the repository named in the path. Throws 404. */
function requireRepository({ store, params }: Call): Repository {
  const repository = store.world().registry.repositories.find(({ id }) => id === params.repoId)
  return requireRow(repository, `There is no repository with the id "${params.repoId?.slice(0, 60)}".`)
}

/** Image address. Its host is this listener, because there is no real registry host. */
const toImageName = ({ platformUrl }: Call, name: string): string => `${new URL(platformUrl).host}/${name}`

/** Pattern of repository names, taken from image references (our choice, because the spec has none). */
const namePattern = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/
const maxNameLength = 100

function requireValidName(name: string): string {
  if (name.length <= maxNameLength && namePattern.test(name)) return name
  throw invalidName(
    `name: Use 1 to ${maxNameLength} small letters, digits, and - _ . / between them, for example "team/chat-agent".`,
  )
}

const NewRow = z.looseObject({ name: z.string() })

const createView =
  (call: Call) =>
  ({ images, ...rest }: Repository): unknown => ({
    ...rest,
    imageCount: images.length,
    sizeBytes: images.reduce((sum, image) => sum + image.sizeBytes, 0),
    uri: toImageName(call, rest.name),
  })

const create: Operation['run'] = async (call) => {
  const { store } = call
  const body = await call.body(NewRow)
  const name = requireValidName(body.name)
  const { repositories } = store.world().registry
  refuseTakenName(repositories, 'repository', name)
  const timestamp = store.nowIso()
  const repository = {
    ...body,
    id: `repository-${randomUUID()}`,
    name,
    images: [],
    createdAt: timestamp,
    updatedAt: timestamp,
  }
  replaceRegistry(store, { repositories: [...repositories, repository] })
  return toCreatedReply(createView(call)(repository))
}

const list: Operation['run'] = (call) =>
  respondWithPage(call.query, call.store.world().registry.repositories, createView(call))

const remove: Operation['run'] = (call) => {
  const repository = requireRepository(call)
  const { length } = repository.images
  if (length > 0) {
    const imagesText = length === 1 ? 'an image. Delete it' : `${length} images. Delete them`
    throw conflict('REPOSITORY_NOT_EMPTY', `The repository "${repository.name}" holds ${imagesText} first.`)
  }
  const { repositories } = call.store.world().registry
  replaceRegistry(call.store, {
    repositories: repositories.filter((otherRepository) => otherRepository !== repository),
  })
  return noContent
}

const path = '/v1/repository'

/** Repositories. Only empty ones can be deleted (spec, "Limits"). */
const repositoryOperations: readonly Operation[] = [
  { id: 'registry.repositories.list', method: 'GET', path, run: list },
  { id: 'registry.repositories.create', method: 'POST', path, run: create },
  {
    id: 'registry.repositories.get',
    method: 'GET',
    path: `${path}/{repoId}`,
    run: (call) => okReply(createView(call)(requireRepository(call))),
  },
  { id: 'registry.repositories.delete', method: 'DELETE', path: `${path}/{repoId}`, run: remove },
]

/** Lists images whose name contains `name`, ignoring case. An empty name matches all (spec, "Limits"). */
const listImages: Operation['run'] = (call) => {
  const { query } = call
  const repository = requireRepository(call)
  const namePart = requireParameter(query, 'name', { mayBeEmpty: true }).toLowerCase()
  const rows = repository.images.filter(({ name }) => name.toLowerCase().includes(namePart))
  const uri = toImageName(call, repository.name)
  return respondWithPage(query, rows, (image) => ({ ...image, uri: `${uri}:${image.name}` }))
}

const removeImage: Operation['run'] = (call) => {
  const { store, query } = call
  const repository = requireRepository(call)
  const imageName = requireParameter(query, 'imageName')
  const images = repository.images.filter(({ name }) => name !== imageName)
  if (images.length === repository.images.length) {
    throw notFound(`The repository "${repository.name}" has no image named "${imageName.slice(0, 60)}".`)
  }
  const updatedRepository = { ...repository, images, updatedAt: store.nowIso() }
  const { repositories } = store.world().registry
  replaceRegistry(store, {
    repositories: repositories.map((otherRepository) =>
      otherRepository === repository ? updatedRepository : otherRepository,
    ),
  })
  return noContent
}

const imagesPath = '/v1/repository/{repoId}/images'

/** Images of a repository. `docker push` adds them in reality but is not simulated. */
const imageOperations: readonly Operation[] = [
  { id: 'registry.images.list', method: 'GET', path: imagesPath, run: listImages },
  { id: 'registry.images.delete', method: 'DELETE', path: `${imagesPath}/delete`, run: removeImage },
]

/** Permissions of a robot account (our choice, because the spec shows none). */
const permissions = ['list', 'pull', 'push', 'delete']

/** Pattern of robot account names, which are `docker login` users (our choice, because the spec has none). */
const robotNamePattern = /^[a-zA-Z0-9._-]{1,100}$/

const Permission = z.enum(permissions, `must be one of ${permissions.join(', ')} (GET /v1/user/permissions)`)
const NewRobot = z.looseObject({
  name: z.string(),
  permissions: z.array(Permission).min(1, 'must name at least one, for example pull'),
})

const createRobotUser: Operation['run'] = async ({ store, body, exchange }) => {
  const { secret: _, ...input } = await body(NewRobot)
  const { name } = input
  if (!robotNamePattern.test(name)) throw invalidName('name: Use 1 to 100 letters (a-z, A-Z), digits, -, _ and .')
  const { robotAccounts } = store.world().registry
  refuseTakenName(robotAccounts, 'robot account', name)
  const timestamp = store.nowIso()
  const account = {
    ...input,
    id: `robot-${randomUUID()}`,
    permissions: [...new Set(input.permissions)],
    createdAt: timestamp,
    updatedAt: timestamp,
  }
  replaceRegistry(store, { robotAccounts: [...robotAccounts, account] })
  exchange.response.setHeader('cache-control', 'no-store')
  return toCreatedReply({ ...account, secret: store.toSecret(account.id, 'rb-sandbox-') })
}

const listRobots: Operation['run'] = ({ store, query }) => respondWithPage(query, store.world().registry.robotAccounts)

const removeRobot: Operation['run'] = ({ store, params }) => {
  const { robotAccounts } = store.world().registry
  const remainingAccounts = robotAccounts.filter(({ id }) => id !== params.repoUserId)
  if (remainingAccounts.length === robotAccounts.length) {
    throw notFound(`There is no robot account with the id "${params.repoUserId?.slice(0, 60)}".`)
  }
  replaceRegistry(store, { robotAccounts: remainingAccounts })
  return noContent
}

const robotsPath = '/v1/user'

/** Robot accounts. Only the create response contains the secret. */
const robotAccountOperations: readonly Operation[] = [
  { id: 'registry.robotAccounts.list', method: 'GET', path: robotsPath, run: listRobots },
  { id: 'registry.robotAccounts.create', method: 'POST', path: robotsPath, run: createRobotUser },
  {
    id: 'registry.robotAccounts.permissions',
    method: 'GET',
    path: `${robotsPath}/permissions`,
    run: () => okReply(permissions),
  },
  { id: 'registry.robotAccounts.delete', method: 'DELETE', path: `${robotsPath}/{repoUserId}`, run: removeRobot },
]

/** The container registry (spec, "Endpoints", B). */
export const registry: Service = {
  base: '/registry',
  access: 'iam',
  operations: [...repositoryOperations, ...imageOperations, ...robotAccountOperations],
}

/** `docker login`: checks the robot account of the Basic header. */
const signIn: Operation['run'] = ({ store, exchange: { request, response } }) => {
  const { id: user, secret } = basicClient(request.headers.authorization ?? '') ?? {}
  const account = store.world().registry.robotAccounts.find(({ name }) => name === user)
  response.setHeader('docker-distribution-api-version', 'registry/2.0')
  if (account && secret === store.toSecret(account.id, 'rb-sandbox-')) return okReply({})
  const message = 'Sign in with the name and the secret of a robot account.'
  const headers = { 'www-authenticate': 'Basic realm="sandbox"' }
  throw new HttpError({ status: 401, code: 'UNAUTHORIZED', message, headers })
}

/** Registry host for container tools (not in the spec). Supports sign-in only. */
export const imageHost: Service = {
  base: '/v2',
  access: 'open',
  operations: [{ id: 'images.signIn', method: 'GET', path: '/', run: signIn }],
  errorBody: ({ code, message }) => ({ errors: [{ code, message }] }),
}
