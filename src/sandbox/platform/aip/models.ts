import { models } from '../../catalogue/models'
import { type Operation, ok } from '../operation'
import { listPaging, pageOf } from '../paging'
import { notFound } from '../refusals'

const list: Operation['run'] = ({ query }) => pageOf({ query, paging: listPaging }, models, (model) => model)

const get: Operation['run'] = ({ params }) => {
  const model = models.find(({ uuid }) => uuid === params.uuid)
  if (model) return ok(model)
  throw notFound(`There is no model with the uuid "${params.uuid?.slice(0, 60)}".`)
}

/** The models of the catalogue, whichever plan offers them. */
export const modelOperations: readonly Operation[] = [
  { id: 'aip.models.list', method: 'GET', path: '/v1/models', run: list },
  { id: 'aip.models.get', method: 'GET', path: '/v1/models/detail/{uuid}', run: get },
]
