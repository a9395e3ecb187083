import { IdCard, Pencil, Trash2 } from 'lucide-react'
import type { Resource } from '../resources/resource'
import { byName, createdColumn, descriptionColumn, descriptionField, nameField, naming, updatedColumn } from './fields'

/** Agent identities (spec, "Access control"). */
export const agentIdentities: Resource = {
  id: 'agent-identities',
  address: 'identityApiUrl',
  icon: IdCard,
  at: '/identities/agents',
  words: {
    title: (t) => t('identities:agents.title'),
    name: (t) => t('identities:fields.name'),
    create: (t) => t('identities:agents.create'),
    empty: (t) => t('identities:agents.empty'),
    emptyText: (t) => t('identities:agents.emptyText'),
  },
  list: { operation: 'identity.agentIdentities.list' },
  get: { operation: 'identity.agentIdentities.get' },
  identifier: byName,
  naming,
  status: ['status', 'state'],
  columns: [descriptionColumn, createdColumn, updatedColumn],
  create: {
    operation: 'identity.agentIdentities.create',
    title: (t) => t('identities:agents.create'),
    text: (t) => t('identities:agents.createText'),
    confirm: (t) => t('identities:create'),
    done: (t, of) => t('identities:agents.created', of),
    fields: [nameField, descriptionField],
    takesJson: true,
  },
  actions: [
    {
      id: 'update',
      operation: 'identity.agentIdentities.update',
      label: (t) => t('identities:change'),
      icon: Pencil,
      isMain: true,
      title: (t, of) => t('identities:changeNamed', of),
      confirm: (t) => t('common:save'),
      done: (t, of) => t('identities:changed', of),
      fields: [descriptionField],
      takesJson: true,
      replaces: true,
    },
    {
      id: 'delete',
      operation: 'identity.agentIdentities.delete',
      label: (t) => t('identities:delete'),
      icon: Trash2,
      isDanger: true,
      removes: true,
      wantsName: true,
      title: (t, of) => t('identities:deleteNamed', of),
      breaks: [(t, of) => t('identities:agents.breaks', of), (t) => t('identities:noReturn')],
      confirm: (t) => t('identities:delete'),
      done: (t, of) => t('identities:deleted', of),
    },
  ],
}
