import { nothing, type Operation } from '../operation'
import { listPaging, pageOf } from '../paging'
import { required } from '../query'
import { notFound } from '../refusals'
import { replaceRegistry, repositoryOf, uriOf } from './repositories'

/** The images whose name has the text of `name` in it, in capitals or not; all of them when it is empty (spec, "Limits"). */
const list: Operation['run'] = (call) => {
  const { query } = call
  const repository = repositoryOf(call)
  const part = required(query, 'name', { mayBeEmpty: true }).toLowerCase()
  const rows = repository.images.filter(({ name }) => name.toLowerCase().includes(part))
  const uri = uriOf(call, repository.name)
  return pageOf({ query, paging: listPaging }, rows, (image) => ({ ...image, uri: `${uri}:${image.name}` }))
}

const remove: Operation['run'] = (call) => {
  const { store, query } = call
  const repository = repositoryOf(call)
  const imageName = required(query, 'imageName')
  const images = repository.images.filter(({ name }) => name !== imageName)
  if (images.length === repository.images.length) {
    throw notFound(`The repository "${repository.name}" has no image named "${imageName.slice(0, 60)}".`)
  }
  const next = { ...repository, images, updatedAt: new Date(store.nowMs()).toISOString() }
  const { repositories } = store.world().registry
  replaceRegistry(store, { repositories: repositories.map((one) => (one === repository ? next : one)) })
  return nothing
}

const path = '/v1/repository/{repoId}/images'

/** The images of a repository; they come into it by `docker push`, which is not simulated. */
export const imageOperations: readonly Operation[] = [
  { id: 'registry.images.list', method: 'GET', path, run: list },
  { id: 'registry.images.delete', method: 'DELETE', path: `${path}/delete`, run: remove },
]
