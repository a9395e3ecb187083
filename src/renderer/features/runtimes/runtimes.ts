import { KeyRound, PencilLine, Server, Trash2 } from 'lucide-react'
import type { Resource, ResourceAction, ResourceCall } from '../resources/resource'
import { newFields } from './config-fields'
import { names } from './names'
import { runtimesPath } from './paths'

/** Makes a runtime; the flavors come from the platform. */
export const createRuntime: ResourceCall = {
  operation: 'runtime.agentRuntimes.create',
  title: (t) => t('runtimes:create.title'),
  text: (t) => t('runtimes:create.text'),
  confirm: (t) => t('runtimes:create.confirm'),
  done: (t, of) => t('runtimes:create.done', of),
  fields: newFields,
  takesJson: true,
}

/** Changes a runtime, which makes a new version of it. Its form is filled by `changeFields`. */
export const updateRuntime: ResourceAction = {
  id: 'update',
  operation: 'runtime.agentRuntimes.update',
  label: (t) => t('runtimes:update.label'),
  icon: PencilLine,
  isMain: true,
  title: (t, of) => t('runtimes:update.title', of),
  text: (t) => t('runtimes:update.text'),
  confirm: (t) => t('runtimes:update.confirm'),
  done: (t, of) => t('runtimes:update.done', of),
  takesJson: true,
}

/** Gives the service account of a runtime another secret, told this once. */
export const resetServiceAccount: ResourceAction = {
  id: 'reset',
  operation: 'runtime.agentRuntimes.resetServiceAccount',
  label: (t) => t('runtimes:reset.label'),
  icon: KeyRound,
  isDanger: true,
  wantsName: true,
  title: (t, of) => t('runtimes:reset.title', of),
  breaks: [
    (t, of) => t('runtimes:reset.breaksContainers', of),
    (t) => t('runtimes:reset.breaksCopies'),
    (t) => t('runtimes:reset.noReturn'),
  ],
  confirm: (t) => t('runtimes:reset.confirm'),
  done: (t, of) => t('runtimes:reset.done', of),
  secretKind: 'serviceAccount',
}

/** Deletes a runtime with all that is part of it. */
const deleteRuntime: ResourceAction = {
  id: 'delete',
  operation: 'runtime.agentRuntimes.delete',
  label: (t) => t('runtimes:delete.label'),
  icon: Trash2,
  isDanger: true,
  removes: true,
  wantsName: true,
  title: (t, of) => t('runtimes:delete.title', of),
  breaks: [
    (t, of) => t('runtimes:delete.breaksEndpoints', of),
    (t) => t('runtimes:delete.breaksAccount'),
    (t) => t('runtimes:delete.breaksRest'),
    (t) => t('runtimes:noReturn'),
  ],
  confirm: (t) => t('runtimes:delete.label'),
  done: (t, of) => t('runtimes:delete.done', of),
}

/** Agent runtimes (spec, "Runtime"). */
export const runtimes: Resource = {
  id: 'runtimes',
  address: 'runtimeApiUrl',
  icon: Server,
  at: runtimesPath,
  words: {
    title: (t) => t('runtimes:title'),
    name: (t) => t('runtimes:fields.name'),
    create: (t) => t('runtimes:create.label'),
    empty: (t) => t('runtimes:empty'),
    emptyText: (t) => t('runtimes:emptyText'),
  },
  list: { operation: 'runtime.agentRuntimes.list' },
  get: { operation: 'runtime.agentRuntimes.get' },
  identifier: { names: ['id', 'runtimeId', 'agentRuntimeId', 'uuid', 'name'], param: 'id' },
  naming: names.name,
  status: names.status,
  columns: [
    { id: 'status', header: (t) => t('runtimes:fields.status'), names: names.status, format: 'status', width: '120px' },
    {
      id: 'image',
      header: (t) => t('runtimes:fields.image'),
      names: names.image,
      format: 'code',
      width: 'minmax(150px, 1.6fr)',
      from: 640,
    },
    { id: 'flavor', header: (t) => t('runtimes:fields.flavor'), names: names.flavor, width: '130px', from: 820 },
    {
      id: 'replicas',
      header: (t) => t('runtimes:fields.replicas'),
      names: names.replicas,
      format: 'number',
      align: 'right',
      width: '80px',
    },
    {
      id: 'version',
      header: (t) => t('runtimes:fields.version'),
      names: names.version,
      format: 'number',
      align: 'right',
      width: '84px',
    },
    {
      id: 'updated',
      header: (t) => t('runtimes:fields.updated'),
      names: [...names.updated, ...names.created],
      format: 'date',
      width: '140px',
      from: 560,
    },
  ],
  create: createRuntime,
  actions: [updateRuntime, resetServiceAccount, deleteRuntime],
}
