import { IdCard } from 'lucide-react'
import type { Resource } from '../resources/resource'
import { createdColumn, descriptionColumn, descriptionField, nameField, updatedColumn } from './fields'
import { changeNamed, deleteNamed, identityList } from './identity-list'

/** Agent identities (spec, "Access control"). */
export const agentIdentities: Resource = {
  ...identityList('agents', 'identity.agentIdentities'),
  id: 'agent-identities',
  icon: IdCard,
  at: '/identities/agents',
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
    changeNamed('identity.agentIdentities.update', [descriptionField]),
    deleteNamed('identity.agentIdentities.delete', 'agents.breaks'),
  ],
}
