import type { AddressKey, ConnectionDraft, ConnectionView, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { useFailureWords } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { type Entries, type FieldName, isSame, missingIn, toConnectionInput, toEntries, toFieldName } from './entries'
import { forgetTests } from './tests'

/** What was saved, with what was put right. */
export type SavedConnection = MethodOutput<'connections.save'>

type Errors = Readonly<Partial<Record<FieldName, string>>>

/** The id of a field's place in the form, by which errors and remedies find it. */
export const toFieldId = (field: FieldName): string => `connection-${field}`

/** Leads to a field of the form. */
export function focusField(field: FieldName): void {
  const place = document.getElementById(toFieldId(field))
  const control = place?.querySelector<HTMLElement>('input, textarea, [data-state="checked"], button')
  place?.scrollIntoView({ block: 'center' })
  control?.focus({ preventScroll: true })
}

/** The contents of the form, kept as a draft as long as they differ from what is saved. */
function useEntries(connection: ConnectionView | undefined) {
  const of = connection?.id ?? newDraft
  const draft = useDrafts(({ drafts }) => drafts[of])
  const keep = useDrafts((store) => store.keep)
  const base = toEntries(connection)
  const entries = draft?.entries ?? base
  const change = (part: Partial<Entries>): void => {
    // The answer to a press may change the form while somebody types.
    const current = useDrafts.getState().drafts[of]
    const next = { ...(current?.entries ?? base), ...part }
    keep(of, isSame(next, base) ? undefined : { ...current, entries: next })
  }
  return {
    ...{ entries, change, draft },
    clear: () => keep(of, undefined),
    undoImport: () => {
      const before = draft?.imported?.before
      if (before) keep(of, isSame(before, base) ? undefined : { entries: before })
    },
  }
}

function useMissing() {
  const { t } = useTranslation('connections')
  const texts = {
    name: t('form.nameMissing'),
    tokenUrl: t('signIn.tokenUrlMissing'),
    clientId: t('signIn.clientIdMissing'),
    program: t('signIn.programMissing'),
  }
  return (entries: Entries): Errors => Object.fromEntries(missingIn(entries).map((field) => [field, texts[field]]))
}

/** The errors by field, and how main's refusals become one of them. */
function useErrors() {
  const { t } = useTranslation('connections')
  const explain = useFailureWords()
  const [errors, setErrors] = useState<Errors>({})
  const show = (found: Errors): boolean => {
    setErrors(found)
    const [first] = Object.keys(found).flatMap((name) => toFieldName(name) ?? [])
    // The message must stand in the page before its field is scrolled into sight.
    if (first) requestAnimationFrame(() => focusField(first))
    return first !== undefined
  }
  const wordsFor = (failure: Failure, field: FieldName): string => {
    const { title, remedy } = explain(failure)
    if (field === 'caFile' && failure.code === 'file.unparsable') return t('certificates.notOne')
    return field === 'secret' ? title : `${title}. ${remedy}`
  }
  const refuse = (failure: Failure): void => {
    const field = toFieldName(failure.field)
    if (field) show({ [field]: wordsFor(failure, field) })
  }
  const forget = (field: FieldName): void => setErrors(({ [field]: _, ...remaining }) => remaining)
  return { errors, show, refuse, forget }
}

/** The form of a connection: contents, errors, saving. */
export function useConnectionForm(connection: ConnectionView | undefined, onSaved: (saved: SavedConnection) => void) {
  const { t } = useTranslation('connections')
  const { entries, change, draft, clear, undoImport } = useEntries(connection)
  const { errors, show, refuse, forget } = useErrors()
  const findMissing = useMissing()
  const saving = useAction('connections.save', { invalidates: ['connections'] })
  const { data: all = [] } = useCall('connections.list', {})
  const name = entries.name.trim()
  const isTaken = name !== '' && all.some((one) => one.name === name && one.id !== connection?.id)
  const save = (): void => {
    if (saving.isPending) return
    if (show({ ...findMissing(entries), ...(isTaken ? { name: t('form.nameTaken') } : {}) })) return
    saving.mutate(toConnectionInput(entries, connection?.id), {
      onSuccess: (saved) => {
        forgetTests(saved.connection.id)
        clear()
        onSaved(saved)
      },
      onError: ({ failure }) => {
        refuse(failure)
        if (toFieldName(failure.field) === 'secret') change({ pending: undefined })
      },
    })
  }
  const set = (field: FieldName, part: Partial<Entries>): void => {
    forget(field)
    change(part)
  }
  const failure = saving.error?.failure
  const field = toFieldName(failure?.field)
  return {
    ...{ entries, draft, errors, save, set, undoImport },
    setAddress: (key: AddressKey, text: string) => set(key, { addresses: { ...entries.addresses, [key]: text } }),
    discard: () => {
      clear()
      show({})
      saving.reset()
    },
    nameTaken: isTaken ? t('form.nameTaken') : undefined,
    isSaving: saving.isPending,
    isDirty: draft !== undefined,
    secretFailure: field === 'secret' && errors.secret ? failure : undefined,
    /** A refusal that is about no field. */
    failure: field === undefined ? failure : undefined,
  }
}

export type ConnectionForm = ReturnType<typeof useConnectionForm>

/** What a file brought into a form, and what stood there before. */
interface Imported {
  readonly corrections: ConnectionDraft['corrections']
  readonly before: Entries
}

/** A form as far as it was filled in. */
interface Draft {
  readonly entries: Entries
  readonly imported?: Imported | undefined
}

interface DraftStore {
  readonly drafts: Readonly<Record<string, Draft | undefined>>
  readonly keep: (of: string, draft: Draft | undefined) => void
}

/** The key under which the form for a new connection is kept; no connection has it as its id. */
export const newDraft = ''

/** Forms with changes that are not saved, by the connection's id; they outlive the page, not the window. */
export const useDrafts = create<DraftStore>((set) => ({
  drafts: {},
  keep: (of, draft) => set(({ drafts }) => ({ drafts: { ...drafts, [of]: draft } })),
}))

/** Asks for a connection file and fills a form in with what it holds; what stood there before can be brought back. */
export function useImport(connection: ConnectionView | undefined, onFilled?: () => void) {
  const of = connection?.id ?? newDraft
  const reading = useAction('connections.readFile')
  const { drafts, keep } = useDrafts()
  const choose = (): void => {
    if (reading.isPending) return
    reading.mutate(
      {},
      {
        onSuccess: ({ draft: read }) => {
          if (!read) return
          const before = drafts[of]?.entries ?? toEntries(connection)
          // What was pasted for this form stays: a file never holds a secret.
          const entries = { ...toEntries(read), pending: before.pending }
          keep(of, { entries, imported: { corrections: read.corrections, before } })
          onFilled?.()
        },
      },
    )
  }
  return { choose, isReading: reading.isPending, failure: reading.error?.failure, reset: reading.reset }
}

/** When a view takes the place of another and nothing has the focus, its title gets it, as the shell does between pages. */
export function useTitleFocus(): void {
  useEffect(() => {
    if (document.activeElement !== document.body) return
    document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
  }, [])
}
