import { Milestone, Plug, Trash2 } from 'lucide-react'
import type { FormField, Resource, ResourceAction, ResourceCall, Text } from '../resources/resource'
import { whole } from '../resources/rules'
import { names } from './names'
import type { Version } from './versions'

/** A version counts from 1; that of an endpoint is one the runtime has. */
const versionNumber = whole(1, Number.MAX_SAFE_INTEGER, (t) => t('runtimes:rules.version'))

const newName: FormField = {
  id: 'name',
  kind: 'text',
  isCode: true,
  isRequired: true,
  placeholder: 'live',
  label: (t) => t('runtimes:fields.name'),
}

const newVersion: FormField = {
  id: 'version',
  kind: 'number',
  rule: versionNumber,
  isOptional: true,
  label: (t) => t('runtimes:fields.version'),
  help: (t) => t('runtimes:endpoints.versionHelp'),
}

const choiceOf = ({ number }: Version, at: number) => ({
  value: number,
  label: ((t) => t(at === 0 ? 'runtimes:versions.newest' : 'runtimes:versions.number', { number })) satisfies Text,
})

/** Points an endpoint at one of these versions (spec: query `version`). */
const pointAt = (versions: readonly Version[]): ResourceAction => ({
  id: 'point',
  operation: 'runtime.endpoints.setVersion',
  label: (t) => t('runtimes:endpoints.point.label'),
  icon: Milestone,
  title: (t, of) => t('runtimes:endpoints.point.title', of),
  text: (t) => t('runtimes:endpoints.point.text'),
  confirm: (t) => t('runtimes:endpoints.point.confirm'),
  done: (t, of) => t('runtimes:endpoints.point.done', of),
  fields: [
    {
      id: 'version',
      kind: versions.length > 0 ? 'select' : 'number',
      to: 'query',
      isRequired: true,
      label: (t) => t('runtimes:fields.version'),
      ...(versions.length === 0 ? { rule: versionNumber } : { options: versions.map(choiceOf) }),
    },
  ],
})

const remove: ResourceAction = {
  id: 'delete',
  operation: 'runtime.endpoints.delete',
  label: (t) => t('runtimes:endpoints.delete.label'),
  icon: Trash2,
  isDanger: true,
  removes: true,
  wantsName: true,
  title: (t, of) => t('runtimes:endpoints.delete.title', of),
  breaks: [
    (t, of) => t('runtimes:endpoints.delete.breaks', of),
    (t) => t('runtimes:endpoints.delete.stays'),
    (t) => t('runtimes:noReturn'),
  ],
  confirm: (t) => t('runtimes:endpoints.delete.label'),
  done: (t, of) => t('runtimes:endpoints.delete.done', of),
}

const create: ResourceCall = {
  operation: 'runtime.endpoints.create',
  title: (t) => t('runtimes:endpoints.create.title'),
  text: (t) => t('runtimes:endpoints.create.text'),
  confirm: (t) => t('runtimes:create.confirm'),
  done: (t, of) => t('runtimes:endpoints.create.done', of),
  fields: [newName, newVersion],
  takesJson: true,
}

/** The endpoints of a runtime, each of which points at one of these versions. */
export const endpointsOf = (versions: readonly Version[]): Resource => ({
  id: 'runtime-endpoints',
  address: 'runtimeApiUrl',
  icon: Plug,
  at: '/runtimes/:id/endpoints',
  words: {
    title: (t) => t('runtimes:endpoints.title'),
    name: (t) => t('runtimes:fields.name'),
    create: (t) => t('runtimes:endpoints.create.label'),
    empty: (t) => t('runtimes:endpoints.empty'),
    emptyText: (t) => t('runtimes:endpoints.emptyText'),
  },
  list: { operation: 'runtime.endpoints.list' },
  identifier: { names: ['id', 'endpointId', 'uuid', 'name'], param: 'endpointId' },
  naming: ['name', 'endpointName', 'displayName', 'title'],
  columns: [
    {
      id: 'version',
      header: (t) => t('runtimes:fields.version'),
      names: names.version,
      format: 'number',
      align: 'right',
      width: '84px',
    },
    { id: 'status', header: (t) => t('runtimes:fields.status'), names: names.status, format: 'status', width: '120px' },
    { id: 'url', header: (t) => t('runtimes:fields.url'), names: names.url, format: 'code', from: 640 },
    {
      id: 'updated',
      header: (t) => t('runtimes:fields.updated'),
      names: names.updated,
      format: 'date',
      width: '140px',
    },
    {
      id: 'created',
      header: (t) => t('runtimes:fields.created'),
      names: names.created,
      format: 'date',
      width: '140px',
      from: 620,
    },
  ],
  create,
  actions: [pointAt(versions), remove],
})
