import type { AddressKey, ConnectionView, KeptSecret, ResourcePage } from '@shared/contract'
import { limits } from '@shared/limits'
import type { TFunction } from 'i18next'
import { type LucideIcon, Trash2 } from 'lucide-react'
import { type ComponentType, useCallback } from 'react'
import { useTranslation } from 'react-i18next'

/** A value of an answer: whatever JSON can say. */
export type Json = ResourcePage['rows'][number]

/** The texts that a declaration may take its words from. */
export const namespaces = ['resources', 'common', 'identities', 'registry', 'models', 'memory', 'runtimes'] as const
export type ResourceT = TFunction<typeof namespaces>

/** Words in the language of the window; `name` is what the thing they speak of is called. */
export type Text = (t: ResourceT, of: { readonly name: string }) => string

/** How a value is shown. `status` gets a coloured dot, `code` the monospaced face. */
export type Format = 'text' | 'number' | 'date' | 'status' | 'bytes' | 'code' | 'list'

/** A column of a list. The value is the first field of these names that a row has; a column that no row has a value for is left out. */
export interface ResourceColumn {
  readonly id: string
  readonly header: Text
  readonly names: readonly string[]
  readonly format?: Format
  /** A track of a CSS grid; an equal share when left out. */
  readonly width?: string
  readonly align?: 'left' | 'right'
  /** From which width of the table on it is shown, in px. */
  readonly from?: number
}

/** Where a value goes: into the path or the query under the field's id, or into the body. */
type Destination = 'path' | 'query' | 'body'

/** Choices that the platform itself offers: a list operation, and where in a row the value and its name are. */
export interface OfferedBy {
  readonly operation: string
  readonly names: readonly string[]
  readonly isUnpaged?: boolean
}

/** A field of a form. */
export interface FormField {
  /** Also the name of the body's field, of the path's or of the query's parameter. */
  readonly id: string
  readonly kind: 'text' | 'area' | 'number' | 'select' | 'switch' | 'list' | 'checks' | 'secret' | 'json'
  readonly label: Text
  readonly help?: Text
  readonly isRequired?: boolean
  /** Marked so; a field that is neither is for the server to judge. */
  readonly isOptional?: boolean
  readonly rule?: Rule
  readonly to?: Destination
  /** In the body, the way to the field when it is not at the top. */
  readonly at?: readonly string[]
  /** Of a change: the names its present value is looked up under; the id when left out. */
  readonly from?: readonly string[]
  readonly initial?: string | boolean | readonly string[]
  readonly placeholder?: string
  readonly isCode?: boolean
  /** What a `select` or `checks` offers. Without an answer of the platform the value is typed. */
  readonly options?: readonly { readonly value: string; readonly label: Text }[] | OfferedBy
  /** Stands below a field that is typed, and fills it in. */
  readonly Picker?: ComponentType<FieldPickerProps>
}

export interface FieldPickerProps {
  readonly connection: ConnectionView
  readonly onPick: (text: string) => void
}

/** One call of the platform that a person starts. With `fields` it asks for them in a sheet, with `question` it asks first. */
export interface ResourceCall {
  readonly operation: string
  readonly title: Text
  /** Said above the form, or in the question. */
  readonly text?: Text
  readonly confirm: Text
  readonly done: Text
  readonly fields?: readonly FormField[]
  /** A body is sent, and anything can be added to it as JSON. */
  readonly takesJson?: boolean
  /** The form begins with what is there now: the call replaces the whole. */
  readonly replaces?: boolean
  /** What is shown once it is done: all that came back. Secrets are shown masked in any case. */
  readonly showsAnswer?: boolean
  /** The platform tells the secret of the answer this once: closing without having copied or kept it asks first. */
  readonly tellsOnce?: boolean
  /** Under which kind a secret of the answer is kept. */
  readonly secretKind?: KeptSecret['kind']
}

/** Something to do with one thing of a list. */
export interface ResourceAction extends ResourceCall {
  readonly id: string
  readonly label: Text
  readonly icon: LucideIcon
  readonly isDanger?: boolean
  /** What it breaks, line by line; given, it asks before it is done. */
  readonly breaks?: readonly Text[]
  /** The name must be typed: it cannot be undone. */
  readonly wantsName?: boolean
  /** The thing is gone afterwards. */
  readonly removes?: boolean
  /** Stands as a button on the thing's page, rather than in its menu. */
  readonly isMain?: boolean
}

/** The deletion of something, whose name is typed first unless told otherwise. */
export const deletion = (call: Omit<ResourceAction, 'id' | 'icon' | 'confirm'>): ResourceAction => ({
  id: 'delete',
  icon: Trash2,
  isDanger: true,
  removes: true,
  wantsName: true,
  confirm: call.label,
  ...call,
})

/** How a thing is named in a call: by the first of these fields it has, as this parameter. */
export interface Identifier {
  readonly names: readonly string[]
  readonly param: string
  readonly to?: 'path' | 'query'
}

interface ResourceWords {
  readonly title: Text
  /** What the list is for, when it is empty. */
  readonly empty: Text
  readonly emptyText: Text
  /** The header of the first column. */
  readonly name: Text
  /** Stands on the button that makes one. */
  readonly create?: Text
}

/** A kind of thing that the platform manages, as data: how it is listed, shown, made, changed, deleted. */
export interface Resource {
  /** Unique among all; the page size is remembered under it. */
  readonly id: string
  readonly address: AddressKey
  readonly icon: LucideIcon
  /** The place of its list in the window; parameters of what it is part of as `:repoId`. */
  readonly at: string
  readonly texts: ResourceWords
  readonly list: {
    readonly operation: string
    /** It answers with all there is, in one piece. */
    readonly isUnpaged?: boolean
    /** The server's own filter: a parameter of the query, empty unless typed. */
    readonly filter?: { readonly param: string; readonly label: Text }
  }
  /** Asks for one; without it what the list told is shown. */
  readonly get?: { readonly operation: string }
  readonly identifier: Identifier
  /** Names of the field that says what it is called. */
  readonly naming: readonly string[]
  readonly columns: readonly ResourceColumn[]
  /** Names of the field that says how it stands, shown beside its name on its page. */
  readonly status?: readonly string[]
  readonly create?: ResourceCall
  readonly actions: readonly ResourceAction[]
}

/** Identifiers of what a list is part of, by path parameter: the images of a repository, the endpoints of a runtime. */
export type Scope = Readonly<Record<string, string>>

/** One thing that something is done with. */
export interface Subject {
  readonly row: Json
  readonly name: string
  /** Nothing when the platform told none that the declaration knows. */
  readonly id: string | undefined
  readonly scope: Scope
  /** Where secrets stood in it, which are masked. */
  readonly secretsAt?: readonly string[]
}

/** What a value must be, and the words that say so. */
interface Rule {
  readonly accepts: (text: string) => boolean
  readonly texts: (t: ResourceT) => string
  /** Of a number: its bounds. */
  readonly min?: number
  readonly max?: number
}

const matching = (pattern: RegExp, texts: Rule['texts']): Rule => ({ accepts: (text) => pattern.test(text), texts })

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

interface Bounds {
  readonly min: number
  readonly max: number
}

/** Any number within bounds; `words` say them. */
const between = ({ min, max }: Bounds, texts: Rule['texts']): Rule => ({
  accepts: (text) => isNumber(text) && Number(text) >= min && Number(text) <= max,
  texts,
  min,
  max,
})

/** A whole number within bounds. */
export function whole(bounds: Bounds, texts: Rule['texts']): Rule {
  const rule = between(bounds, texts)
  return { ...rule, accepts: (text) => rule.accepts(text) && Number.isInteger(Number(text)) }
}

/** The rules of the platform (`limits`), with what the window says of them. */
export const identityName = matching(limits.identityName, (t) => t('rules.identityName'))
export const apiKeyName = matching(limits.apiKeyName, (t) => t('rules.apiKeyName'))
export const memoryName = matching(limits.memoryName, (t) => t('rules.memoryName'))
export const expiryDays = whole(limits.expiryDays, (t) => t('rules.expiryDays'))
export const replicas = whole(limits.replicas, (t) => t('rules.replicas'))
export const threshold = between(limits.threshold, (t) => t('rules.threshold'))
export const logFrom = whole(limits.logFrom, (t) => t('rules.logFrom'))
export const logLimit = whole(limits.logLimit, (t) => t('rules.logLimit'))
export const searchLimit = whole(limits.searchLimit, (t) => t('rules.searchLimit'))
export const scoreThreshold = between(limits.scoreThreshold, (t) => t('rules.scoreThreshold'))

/** An address of the web. */
export const webAddress: Rule = {
  accepts: (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  texts: (t) => t('rules.webAddress'),
}

/** Puts the words of a declaration into the language of the window. */
export function useText(): (text: Text, name?: string) => string {
  const { t } = useTranslation(namespaces)
  return useCallback((text, name = '') => text(t, { name }), [t])
}
