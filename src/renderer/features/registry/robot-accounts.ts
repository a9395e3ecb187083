import { Bot, Trash2 } from 'lucide-react'
import type { Resource } from '../resources/resource'

/** Accounts that programs push and pull with (spec, "Container registry"). */
export const robotAccounts: Resource = {
  id: 'robot-accounts',
  address: 'registryApiUrl',
  icon: Bot,
  at: '/registry/robots',
  words: {
    title: (t) => t('registry:robots.title'),
    name: (t) => t('registry:fields.name'),
    create: (t) => t('registry:robots.create'),
    empty: (t) => t('registry:robots.empty'),
    emptyText: (t) => t('registry:robots.emptyText'),
  },
  list: { operation: 'registry.robotAccounts.list' },
  identifier: { names: ['id', 'repoUserId', 'userId', 'uuid', 'name'], param: 'repoUserId' },
  naming: ['name', 'userName', 'username', 'robotName', 'displayName'],
  columns: [
    {
      id: 'permissions',
      header: (t) => t('registry:robots.permissions'),
      names: ['permissions', 'scopes', 'access', 'roles'],
      format: 'list',
      width: 'minmax(140px, 1fr)',
    },
    {
      id: 'created',
      header: (t) => t('registry:fields.created'),
      names: ['createdAt', 'created', 'creationTime'],
      format: 'date',
      width: '150px',
    },
  ],
  create: {
    operation: 'registry.robotAccounts.create',
    title: (t) => t('registry:robots.create'),
    text: (t) => t('registry:robots.createText'),
    confirm: (t) => t('registry:create'),
    done: (t, of) => t('registry:robots.created', of),
    fields: [
      {
        id: 'name',
        kind: 'text',
        isCode: true,
        isRequired: true,
        placeholder: 'ci-push',
        label: (t) => t('registry:fields.name'),
        help: (t) => t('registry:robots.nameHelp'),
      },
      {
        id: 'permissions',
        kind: 'checks',
        label: (t) => t('registry:robots.permissions'),
        help: (t) => t('registry:robots.permissionsHelp'),
        options: {
          operation: 'registry.robotAccounts.permissions',
          names: ['name', 'id', 'permission', 'action', 'code'],
          isUnpaged: true,
        },
      },
    ],
    takesJson: true,
    secretKind: 'robot',
    tellsOnce: true,
  },
  actions: [
    {
      id: 'delete',
      operation: 'registry.robotAccounts.delete',
      label: (t) => t('registry:delete'),
      icon: Trash2,
      isDanger: true,
      removes: true,
      wantsName: true,
      title: (t, of) => t('registry:deleteNamed', of),
      breaks: [(t, of) => t('registry:robots.breaks', of), (t) => t('registry:noReturn')],
      confirm: (t) => t('registry:delete'),
      done: (t, of) => t('registry:deleted', of),
    },
  ],
}
