import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { created, nothing, type Operation, ok } from '../operation'
import { listPaging, pageOf } from '../paging'
import { conflict, invalidName, notFound } from '../refusals'
import { replaceRegistry } from './repositories'

/** What a robot account may be allowed to do with images (ours; the spec shows no permission). */
const permissions = ['list', 'pull', 'push', 'delete']

/** A name that is the user of a `docker login` (ours; the spec gives no rule). */
const namePattern = /^[a-zA-Z0-9._-]{1,100}$/

const Permission = z.enum(permissions, `must be one of ${permissions.join(', ')} (GET /v1/user/permissions)`)
const New = z.looseObject({
  name: z.string(),
  permissions: z.array(Permission).min(1, 'must name at least one, for example pull'),
})

const create: Operation['run'] = async ({ store, body, exchange }) => {
  const { secret: _, ...asked } = await body(New)
  const { name } = asked
  if (!namePattern.test(name)) throw invalidName('name: Use 1 to 100 letters (a-z, A-Z), digits, -, _ and .')
  const { robotAccounts } = store.world().registry
  if (robotAccounts.some((one) => one.name === name)) {
    throw conflict('ALREADY_EXISTS', `There is already a robot account named "${name}". Choose another name.`)
  }
  const now = new Date(store.nowMs()).toISOString()
  const allowed = [...new Set(asked.permissions)]
  const account = { ...asked, id: `robot-${randomUUID()}`, permissions: allowed, createdAt: now, updatedAt: now }
  replaceRegistry(store, { robotAccounts: [...robotAccounts, account] })
  exchange.response.setHeader('cache-control', 'no-store')
  return created({ ...account, secret: store.secretOf(account.id, 'rb-sandbox-') })
}

const list: Operation['run'] = ({ store, query }) =>
  pageOf({ query, paging: listPaging }, store.world().registry.robotAccounts, (account) => account)

const remove: Operation['run'] = ({ store, params }) => {
  const { robotAccounts } = store.world().registry
  const left = robotAccounts.filter(({ id }) => id !== params.repoUserId)
  if (left.length === robotAccounts.length) {
    throw notFound(`There is no robot account with the id "${params.repoUserId?.slice(0, 60)}".`)
  }
  replaceRegistry(store, { robotAccounts: left })
  return nothing
}

const path = '/v1/user'

/** Robot accounts: the secret is in the answer that creates one and nowhere else. */
export const robotAccountOperations: readonly Operation[] = [
  { id: 'registry.robotAccounts.list', method: 'GET', path, run: list },
  { id: 'registry.robotAccounts.create', method: 'POST', path, run: create },
  { id: 'registry.robotAccounts.permissions', method: 'GET', path: `${path}/permissions`, run: () => ok(permissions) },
  { id: 'registry.robotAccounts.delete', method: 'DELETE', path: `${path}/{repoUserId}`, run: remove },
]
