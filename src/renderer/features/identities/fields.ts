import type { FormField, Identifier, ResourceColumn } from '../resources/resource'
import { identityName } from '../resources/rules'

/** Identities and providers are named in paths by their name (spec, "Platform API resources"). */
export const byName: Identifier = { names: ['name', 'id', 'uuid'], param: 'name' }

/** Names of the field that says what one is called. */
export const naming = ['name', 'displayName', 'title'] as const

export const nameField: FormField = {
  id: 'name',
  kind: 'text',
  label: (t) => t('identities:fields.name'),
  isRequired: true,
  isCode: true,
  rule: identityName,
}

export const descriptionField: FormField = {
  id: 'description',
  kind: 'area',
  label: (t) => t('identities:fields.description'),
  isOptional: true,
}

/** The identity that asks for a credential; its name goes into the path. */
export const agentField: FormField = {
  id: 'agentName',
  kind: 'select',
  to: 'path',
  label: (t) => t('identities:fields.agent'),
  help: (t) => t('identities:fields.agentHelp'),
  isRequired: true,
  rule: identityName,
  options: { operation: 'identity.agentIdentities.list', names: ['name', 'id'] },
}

export const descriptionColumn: ResourceColumn = {
  id: 'description',
  header: (t) => t('identities:fields.description'),
  names: ['description', 'purpose', 'comment'],
  width: 'minmax(120px, 1.6fr)',
}

export const createdColumn: ResourceColumn = {
  id: 'created',
  header: (t) => t('identities:fields.created'),
  names: ['createdAt', 'created', 'creationTime', 'createdDate'],
  format: 'date',
  width: '130px',
  from: 620,
}

export const updatedColumn: ResourceColumn = {
  id: 'updated',
  header: (t) => t('identities:fields.updated'),
  names: ['updatedAt', 'updated', 'modifiedAt', 'lastModified'],
  format: 'date',
  width: '130px',
  from: 760,
}
