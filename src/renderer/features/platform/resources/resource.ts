import type { AddressKey, CapturedSecret, ResourceAnswer, ResourcePage, SavedSecret } from '@shared/contract'
import { limits } from '@shared/limits'
import i18next, { type ParseKeys } from 'i18next'
import { type LucideIcon, Pencil, Trash2 } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { en } from '../../../i18n/en'

export type Json = ResourcePage['rows'][number]

const namespaces = ['resources', 'common', 'identities', 'registry', 'models', 'memory', 'runtimes'] as const

type TextKey = Extract<ParseKeys<typeof namespaces>, `${string}:${string}`>

/** Start of each key that ends with `Suffix`. */
type KeyPrefix<Suffix extends string, Key = TextKey> = Key extends `${infer Prefix}${Suffix}` ? Prefix : never

/** Key of a text, with the name of a resource as `name`, or a function that returns a translated text. */
export type ResourceText = TextKey | (() => string)

const t = i18next.getFixedT(null, namespaces)

/** Translates a text of a resource declaration. */
export const resourceText = (text: ResourceText, name = ''): string =>
  typeof text === 'function' ? text() : t(text, { name })

/** Format in which a table shows a value. `status` adds a colored dot, `code` uses a monospaced font. */
export type Format = 'text' | 'number' | 'date' | 'status' | 'bytes' | 'code'

/** Field name with a translated label. Columns and form fields of this name need no other label. */
type LabeledField = keyof (typeof en)['resources']['fieldNames']

/** A column that shows the first existing field from a list of names. Hidden if no row has any of them. */
export type ResourceColumn = (
  | { readonly names: readonly string[]; readonly header: ResourceText }
  | { readonly names: readonly [LabeledField, ...string[]]; readonly header?: never }
) & {
  readonly format?: Format
  /** Width of the column as a CSS grid track. Default: an equal share. */
  readonly width?: string
  /** Minimum table width in px to show the column. */
  readonly from?: number
}

/** Options of a form field that come from a list operation. Names the fields that contain the value. */
export interface OptionsSource {
  readonly operation: string
  readonly names: readonly string[]
  readonly isUnpaged?: boolean
  /** Label of an option. Default: its value. */
  readonly describe?: (row: Json, value: string) => string
}

/** The id is the name of the body field, path parameter or query parameter that is sent. */
export type FormField = Labeled & {
  readonly kind: 'text' | 'area' | 'number' | 'select' | 'list' | 'checks' | 'secret' | 'rows' | 'json'
  readonly help?: ResourceText
  readonly isRequired?: boolean
  /** Whether to mark the field as optional. If neither `isRequired` nor `isOptional` is set, the server decides. */
  readonly isOptional?: boolean
  readonly rule?: Rule
  /** Place of the field in the request. Path and query use the field's id as parameter name. Default: the body. */
  readonly to?: 'path' | 'query' | 'body'
  /** Names of the objects around a nested body field. */
  readonly at?: readonly string[]
  /** Fields of the resource from which an update form takes the current value. Default: the field with this `id`. */
  readonly from?: readonly string[]
  readonly initial?: string | readonly string[] | readonly FormRow[]
  /** Columns of a field of kind `rows`. */
  readonly rows?: RowsShape
  readonly placeholder?: string
  readonly isCode?: boolean
  /** Options of `select` or `checks`. If they come from the platform and it does not respond, the user types the value. */
  readonly options?: readonly { readonly value: string; readonly label: ResourceText }[] | OptionsSource
  /** Component shown below a text field that helps the user to fill it. */
  readonly Picker?: ComponentType<{ readonly onPick: (text: string) => void }>
}

type Labeled =
  | { readonly id: string; readonly label: ResourceText }
  | { readonly id: LabeledField; readonly label?: never }

/** A pasted secret that the main process stores. The form and the request only contain its id. */
export interface PendingSecret {
  readonly pendingId: string
  readonly masked: string
}

/** A text, a pasted secret, or a secret of the platform's response that the main process sends back unchanged. */
export type CellValue = string | PendingSecret | { readonly handle: string; readonly masked: string }

/** A row of a form, by the ids of the columns. `key` identifies it while it is edited. */
export interface FormRow {
  readonly key: string
  readonly cells: Readonly<Record<string, CellValue>>
}

/** Columns of rows, and how rows are sent: as an object from the first column to the second, or as a list of objects. */
export interface RowsShape {
  readonly format: 'object' | 'list'
  readonly columns: readonly RowColumn[]
  /** Label of the button that adds a row. */
  readonly addLabel: ResourceText
}

/** In a list, the id is the name of the field that is sent. */
export type RowColumn = Labeled & {
  readonly isCode?: boolean
  readonly isRequired?: boolean
  /** Whether the column takes the full width of the form. */
  readonly isWide?: boolean
  /** Whether a secret can be pasted from the clipboard. */
  readonly canPasteSecret?: boolean
  /** Known values. Others can be typed. */
  readonly suggestions?: readonly string[]
}

/** An API call that the user can start. A call with `fields` opens a form, one with `question` a confirmation. */
export interface ResourceCall {
  readonly operation: string
  /** Query parameters with fixed values. */
  readonly query?: Readonly<Record<string, string>>
  readonly title: ResourceText
  /** Text above the form or in the confirmation. */
  readonly text?: ResourceText
  readonly confirm: ResourceText
  readonly done: ResourceText
  readonly fields?: readonly FormField[]
  /** Whether the body accepts additional JSON. */
  readonly takesJson?: boolean
  /** The form starts with the current values, because the call replaces the whole object. */
  readonly replaces?: boolean
  /** Shows the full response after success. Secrets are always masked. */
  readonly showsAnswer?: boolean
  /** Whether a secret of the response is returned only once. Closing the form without copying or saving it must be confirmed. */
  readonly tellsOnce?: boolean
  /** Kind of a saved secret. */
  readonly secretKind?: SavedSecret['kind']
}

export interface ResourceAction extends ResourceCall {
  readonly label: ResourceText
  readonly icon: LucideIcon
  readonly isDanger?: boolean
  /** Form fields that depend on the resource. They replace `fields`. */
  readonly listFields?: (subject: ResourceSubject) => readonly FormField[]
  /** Texts that name the consequences of the action. If set, the user must confirm the action. */
  readonly breaks?: readonly ResourceText[] | ((row: Json) => readonly ResourceText[])
  /** Component in the confirmation that names what else is affected, if that must be requested from the platform. */
  readonly Effects?: ComponentType<{ readonly subject: ResourceSubject }>
  /** Dialog of the action. Default: a form if the action has fields, else a confirmation. */
  readonly Dialog?: ComponentType<ActionDialogProps>
  /** Whether the user must type the resource's name to confirm, because the action cannot be undone. */
  readonly wantsName?: boolean
  /** Whether the action deletes the resource. */
  readonly removes?: boolean
  /** Whether the action is a button on the detail page instead of a menu item. */
  readonly isMain?: boolean
}

export interface ActionDialogProps {
  readonly resource: Resource
  readonly action: ResourceAction
  readonly subject: ResourceSubject
  readonly onClose: () => void
  readonly onDone?: (answer: ResourceAnswer) => void
  /** Details of a confirmation, below its text. */
  readonly children?: ReactNode
}

/** Consequences of an action on a resource. */
export const listBreaks = ({ breaks = [] }: Pick<ResourceAction, 'breaks'>, row: Json): readonly ResourceText[] =>
  typeof breaks === 'function' ? breaks(row) : breaks

/** Texts of an action from the keys that all actions with own texts have. Its confirm button repeats its label. */
export const actionTexts = (action: KeyPrefix<'.label'> & KeyPrefix<'.title'> & KeyPrefix<'.done'>) =>
  ({
    label: `${action}.label`,
    title: `${action}.title`,
    confirm: `${action}.label`,
    done: `${action}.done`,
  }) as const

/** Declares an action that deletes a resource. By default, the user must type the resource's name. */
export const deletion = ({
  breaks = [],
  ...call
}: Pick<ResourceAction, 'operation'> & Partial<ResourceAction>): ResourceAction => ({
  icon: Trash2,
  isDanger: true,
  removes: true,
  wantsName: true,
  label: 'common:labels.delete',
  title: 'resources:delete.title',
  confirm: call.label ?? 'common:labels.delete',
  done: 'resources:delete.done',
  ...call,
  breaks: (row) => [...listBreaks({ breaks }, row), 'common:labels.thisCantBeUndone'],
})

/** Declares an action that edits a resource in a form with its current values. */
export const edit = (call: Pick<ResourceAction, 'operation' | 'fields' | 'secretKind'>): ResourceAction => ({
  icon: Pencil,
  isMain: true,
  label: 'common:edit',
  title: 'resources:edit.title',
  confirm: 'common:save',
  done: 'resources:edit.done',
  takesJson: true,
  replaces: true,
  ...call,
})

/** Declares a call that creates an item of a list, with texts from the keys that all such lists have. */
export const creation = (
  list: KeyPrefix<'create'> & KeyPrefix<'createText'> & KeyPrefix<'created'>,
  call: Pick<ResourceCall, 'operation'> & Partial<ResourceCall>,
): ResourceCall => ({
  title: `${list}create`,
  text: `${list}createText`,
  confirm: 'common:labels.create',
  done: `${list}created`,
  takesJson: true,
  ...call,
})

/** Column with the time of creation. */
export const createdColumn = {
  header: 'common:labels.created',
  names: ['createdAt', 'created', 'creationTime', 'createdDate', 'createTime', 'timestamp'],
  format: 'date',
  width: '130px',
} satisfies ResourceColumn

/** Column with the time of the last change. */
export const updatedColumn = {
  header: 'common:labels.updated',
  names: ['updatedAt', 'updated', 'modifiedAt', 'lastModified', 'lastPushedAt'],
  format: 'date',
  width: '130px',
  from: 760,
} satisfies ResourceColumn

export const statusColumn: ResourceColumn = {
  names: ['status', 'state', 'phase'],
  format: 'status',
  width: '130px',
}

export const descriptionColumn: ResourceColumn = {
  names: ['description', 'purpose', 'comment'],
  width: 'minmax(120px, 1.6fr)',
}

export const nameField: FormField = { id: 'name', kind: 'text', isCode: true, isRequired: true }

export const descriptionField: FormField = { id: 'description', kind: 'area', isOptional: true }

export interface Resource {
  readonly address: AddressKey
  readonly icon: LucideIcon
  /** Unique route of the list, with parameters such as `:repoId` for the parent. */
  readonly at: string
  /** Start of the keys of the list's title and of the texts that are shown while the list is empty. */
  readonly texts: KeyPrefix<'title'> & KeyPrefix<'empty'> & KeyPrefix<'emptyText'>
  /** Header of the first column. Default: name. */
  readonly nameHeader?: ResourceText
  readonly list: {
    readonly operation: string
    /** Whether the list operation has no pages. */
    readonly isUnpaged?: boolean
    /** Fields with a time by which each page is sorted, newest first. Default: the server's order. */
    readonly newestBy?: readonly string[]
    /** Server-side filter as a query parameter, empty by default. */
    readonly filter?: { readonly param: string; readonly label: ResourceText }
  }
  /** Operation that reads a single resource. If undefined, the detail view shows the row of the list. */
  readonly get?: { readonly operation: string }
  /** Field that identifies a row: the first of `names` that exists. Calls send it as the parameter `param`. */
  readonly identifier: { readonly names: readonly string[]; readonly param: string; readonly to?: 'path' | 'query' }
  /** Names of fields that may contain the display name. The first that exists is used. */
  readonly naming: readonly string[]
  readonly columns: readonly ResourceColumn[]
  readonly create?: ResourceCall
  readonly actions: readonly ResourceAction[]
}

/** Path parameters that identify the parent resource, such as the repository of an image. */
export type Scope = Readonly<Record<string, string>>

export interface ResourceSubject {
  readonly row: Json
  readonly name: string
  /** Id of the row. Undefined without a known identifier field. */
  readonly id: string | undefined
  readonly scope: Scope
  /** Masked secrets of the row, with JSON pointers into it. */
  readonly secrets?: readonly CapturedSecret[]
}

interface Rule {
  readonly accepts: (text: string) => boolean
  readonly message: TextKey
}

const matchPattern = (pattern: RegExp, message: TextKey): Rule => ({ accepts: (text) => pattern.test(text), message })

type Bounds = Readonly<Record<'min' | 'max', number>>

const matchRange = ({ min, max }: Bounds, message: TextKey): Rule => ({
  accepts: (text) => text.trim() !== '' && Number.isFinite(Number(text)) && Number(text) >= min && Number(text) <= max,
  message,
})

export function matchWholeNumber(bounds: Bounds, message: TextKey): Rule {
  const rule = matchRange(bounds, message)
  return { ...rule, accepts: (text) => rule.accepts(text) && Number.isInteger(Number(text)) }
}

/** Validates a name against the platform's limits. Provides the error message. */
export const identityName = matchPattern(limits.identityName, 'resources:rules.identityName')
export const apiKeyName = matchPattern(limits.apiKeyName, 'resources:rules.apiKeyName')
export const memoryName = matchPattern(limits.memoryName, 'resources:rules.memoryName')
export const expiryDays = matchWholeNumber(limits.expiryDays, 'resources:rules.expiryDays')
export const replicas = matchWholeNumber(limits.replicas, 'resources:rules.replicas')
export const threshold = matchRange(limits.threshold, 'resources:rules.threshold')
export const logFromRule = matchWholeNumber(limits.logFrom, 'resources:rules.logFrom')
export const logLimitRule = matchWholeNumber(limits.logLimit, 'resources:rules.logLimit')
export const searchLimit = matchWholeNumber(limits.searchLimit, 'resources:rules.searchLimit')
export const scoreThreshold = matchRange(limits.scoreThreshold, 'resources:rules.scoreThreshold')

/** Validates an HTTP or HTTPS address. Provides the error message. */
export const webAddress: Rule = {
  accepts: (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  message: 'resources:rules.webAddress',
}
