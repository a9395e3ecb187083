import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { HttpError } from '../http'
import type { Repository, World } from '../state/world'
import { basicClient } from './iam'
import {
  type Call,
  conflict,
  createCollection,
  createOperation,
  createTimestamps,
  invalidName,
  noContent,
  nonEmptyText,
  notFound,
  type Operation,
  okReply,
  parseQuery,
  refuseTakenName,
  respondWithPage,
  type Service,
  secretReply,
  toCreatedReply,
} from './operation'

const repositories = createCollection<'id', Repository>({
  key: 'id',
  param: 'repoId',
  noun: 'repository',
  rows: ({ store }) => store.world().registry.repositories,
  view: ({ images, ...rest }, call) => ({
    ...rest,
    imageCount: images.length,
    sizeBytes: images.reduce((sum, image) => sum + image.sizeBytes, 0),
    uri: toImageName(call, rest.name),
  }),
})

/** Robot accounts are `docker login` users. */
const robotAccounts = createCollection<'id', World['registry']['robotAccounts'][number]>({
  key: 'id',
  param: 'repoUserId',
  noun: 'robot account',
  rows: ({ store }) => store.world().registry.robotAccounts,
})

/** Image address. Its host is this listener, because there is no real registry host. */
const toImageName = ({ platformUrl }: Call, name: string): string => `${new URL(platformUrl).host}/${name}`

/** Pattern of repository names, taken from image references (our choice, because the spec has none). */
const namePattern = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/
const maxNameLength = 100

function createRepository(body: { readonly name: string }, call: Call): Repository {
  const { name } = body
  if (name.length > maxNameLength || !namePattern.test(name))
    throw invalidName(
      `name: Use 1 to ${maxNameLength} small letters, digits, and - _ . / between them, for example "team/chat-agent".`,
    )
  refuseTakenName(repositories.rows(call), 'repository', name)
  return { ...body, id: `repository-${randomUUID()}`, images: [], ...createTimestamps(call) }
}

/** Only empty repositories can be deleted (spec, "Limits"). */
const remove: Operation['run'] = (call) => {
  const repository = repositories.find(call)
  const { length } = repository.images
  if (length > 0) {
    const imagesText = length === 1 ? 'an image. Delete it' : `${length} images. Delete them`
    throw conflict('REPOSITORY_NOT_EMPTY', `The repository "${repository.name}" holds ${imagesText} first.`)
  }
  return repositories.remove(call)
}

/** Lists images whose name contains `name`, ignoring case. An empty name matches all (spec, "Limits"). */
const listImages: Operation['run'] = (call) => {
  const { query } = call
  const repository = repositories.find(call)
  const namePart = parseQuery(query, { name: z.string() }).name.toLowerCase()
  const rows = repository.images.filter(({ name }) => name.toLowerCase().includes(namePart))
  const uri = toImageName(call, repository.name)
  return respondWithPage(query, rows, (image) => ({ ...image, uri: `${uri}:${image.name}` }))
}

const removeImage: Operation['run'] = (call) => {
  const { store, query } = call
  const repository = repositories.find(call)
  const { imageName } = parseQuery(query, { imageName: nonEmptyText })
  const index = repository.images.findIndex(({ name }) => name === imageName)
  if (index < 0) throw notFound(`The repository "${repository.name}" has no image named "${imageName.slice(0, 60)}".`)
  repository.images.splice(index, 1)
  repository.updatedAt = store.nowIso()
  store.changed()
  return noContent
}

/** Permissions of a robot account (our choice, because the spec shows none). */
const permissions = ['list', 'pull', 'push', 'delete']

/** Pattern of robot account names (our choice, because the spec has none). */
const robotNamePattern = /^[a-zA-Z0-9._-]{1,100}$/

const Permission = z.enum(permissions, `must be one of ${permissions.join(', ')} (GET /v1/user/permissions)`)
const NewRobot = z.looseObject({
  name: z.string(),
  permissions: z.array(Permission).min(1, 'must name at least one, for example pull'),
})

function createRobotAccount({ secret: _, ...input }: z.infer<typeof NewRobot>, call: Call) {
  const { name } = input
  if (!robotNamePattern.test(name)) throw invalidName('name: Use 1 to 100 letters (a-z, A-Z), digits, -, _ and .')
  refuseTakenName(robotAccounts.rows(call), 'robot account', name)
  const permissions = [...new Set(input.permissions)]
  return { ...input, id: `robot-${randomUUID()}`, permissions, ...createTimestamps(call) }
}

const path = '/v1/repository'
const imagesPath = `${path}/{repoId}/images`
const robotsPath = '/v1/user'

/** The container registry (spec, "Endpoints", B). `docker push` adds images in reality but is not simulated. */
export const registry: Service = {
  base: '/registry',
  access: 'iam',
  operations: [
    repositories.listAt(path, 'registry.repositories.list'),
    repositories.createAt(path, 'registry.repositories.create', z.looseObject({ name: z.string() }), createRepository),
    repositories.getAt(`${path}/{repoId}`, 'registry.repositories.get'),
    createOperation('registry.repositories.delete', 'DELETE', `${path}/{repoId}`, remove),
    createOperation('registry.images.list', 'GET', imagesPath, listImages),
    createOperation('registry.images.delete', 'DELETE', `${imagesPath}/delete`, removeImage),
    robotAccounts.listAt(robotsPath, 'registry.robotAccounts.list'),
    // Only this response contains the secret.
    robotAccounts.createAt(robotsPath, 'registry.robotAccounts.create', NewRobot, createRobotAccount, (account, call) =>
      secretReply(call, toCreatedReply({ ...account, secret: call.store.toSecret(account.id, 'rb-sandbox-') })),
    ),
    createOperation('registry.robotAccounts.permissions', 'GET', `${robotsPath}/permissions`, () =>
      okReply(permissions),
    ),
    robotAccounts.removeAt(`${robotsPath}/{repoUserId}`, 'registry.robotAccounts.delete'),
  ],
}

/** `docker login`: checks the robot account of the Basic header. */
const signIn: Operation['run'] = ({ store, exchange: { request, response } }) => {
  const { id: user, secret } = basicClient(request.headers.authorization ?? '') ?? {}
  const account = store.world().registry.robotAccounts.find(({ name }) => name === user)
  response.setHeader('docker-distribution-api-version', 'registry/2.0')
  if (account && secret === store.toSecret(account.id, 'rb-sandbox-')) return okReply({})
  const message = 'Sign in with the name and the secret of a robot account.'
  throw new HttpError(401, 'UNAUTHORIZED', message, { 'www-authenticate': 'Basic realm="sandbox"' })
}

/** Registry host for container tools (not in the spec). Supports sign-in only. */
export const imageHost: Service = {
  base: '/v2',
  access: 'open',
  operations: [createOperation('images.signIn', 'GET', '/', signIn)],
  errorBody: ({ code, message }) => ({ errors: [{ code, message }] }),
}
