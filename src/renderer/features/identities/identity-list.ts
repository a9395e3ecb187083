import { Pencil, Trash2 } from 'lucide-react'
import type { FormField, Resource, ResourceAction, ResourceCall } from '../resources/resource'
import { byName, naming } from './fields'

/** The part of the texts that a list's own words are in. */
type Part = 'agents' | 'static' | 'delegated' | 'oauth2'

type Shared = Pick<Resource, 'address' | 'words' | 'list' | 'get' | 'identifier' | 'naming' | 'status'>

/** What the lists of the identity service have in common; `service` begins the names of their operations. */
export const identityList = (part: Part, service: string): Shared => ({
  address: 'identityApiUrl',
  words: {
    title: (t) => t(`identities:${part}.title`),
    name: (t) => t('identities:fields.name'),
    create: (t) => t(`identities:${part}.create`),
    empty: (t) => t(`identities:${part}.empty`),
    emptyText: (t) => t(`identities:${part}.emptyText`),
  },
  list: { operation: `${service}.list` },
  get: { operation: `${service}.get` },
  identifier: byName,
  naming,
  status: ['status', 'state'],
})

/** Makes a provider. */
export const createProvider = (
  part: Exclude<Part, 'agents'>,
  service: string,
  fields: readonly FormField[],
): ResourceCall => ({
  operation: `${service}.create`,
  title: (t) => t(`identities:${part}.create`),
  text: (t) => t(`identities:${part}.createText`),
  confirm: (t) => t('identities:create'),
  done: (t, of) => t('identities:providerCreated', of),
  fields,
  takesJson: true,
})

/** Changes what one says. */
export const changeNamed = (operation: string, fields: readonly FormField[]): ResourceAction => ({
  id: 'update',
  operation,
  label: (t) => t('identities:change'),
  icon: Pencil,
  isMain: true,
  title: (t, of) => t('identities:changeNamed', of),
  confirm: (t) => t('common:save'),
  done: (t, of) => t('identities:changed', of),
  fields,
  takesJson: true,
  replaces: true,
})

/** Deletes an identity or a provider, after its name was typed. */
export const deleteNamed = (operation: string, breaks: 'agents.breaks' | 'providerBreaks'): ResourceAction => ({
  id: 'delete',
  operation,
  label: (t) => t('identities:delete'),
  icon: Trash2,
  isDanger: true,
  removes: true,
  wantsName: true,
  title: (t, of) => t('identities:deleteNamed', of),
  breaks: [(t, of) => t(`identities:${breaks}`, of), (t) => t('identities:noReturn')],
  confirm: (t) => t('identities:delete'),
  done: (t, of) => t('identities:deleted', of),
})
