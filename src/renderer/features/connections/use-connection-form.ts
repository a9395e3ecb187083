import type { AddressKey, ConnectionDraft, ConnectionView, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { useFailureTexts } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import {
  areEntriesEqual,
  type Entries,
  type FieldName,
  listMissingFields,
  toConnectionInput,
  toEntries,
  toFieldName,
} from './entries'
import { clearTests } from './tests'

/** The connection as saved. The main process may have corrected the input, for example an address. */
export type SavedConnection = MethodOutput<'connections.save'>

type TextFieldName = 'name' | 'tokenUrl' | 'clientId' | 'scope' | 'program' | 'args'

type Errors = Readonly<Partial<Record<FieldName, string>>>

/** Focuses the control of a field: the element with the attribute `data-field`, or the first control in it. */
export function focusField(field: FieldName): void {
  const element = document.querySelector<HTMLElement>(`[data-field="${field}"]`)
  const control = element?.querySelector<HTMLElement>('input, [data-state="checked"], button') ?? element
  element?.scrollIntoView({ block: 'center' })
  control?.focus({ preventScroll: true })
}

export function useConnectionForm(connection: ConnectionView | undefined, onSaved: (saved: SavedConnection) => void) {
  const { t } = useTranslation('connections')
  const draftId = connection?.id ?? newDraft
  const draft = useDrafts(({ drafts }) => drafts[draftId])
  const storeDraft = useDrafts((store) => store.keep)
  const baseEntries = toEntries(connection)
  const entries = draft?.entries ?? baseEntries
  const change = (changes: Partial<Entries>): void => {
    // Use the latest state of the draft, because the user may type while a request is pending.
    const currentDraft = useDrafts.getState().drafts[draftId]
    const newEntries = { ...(currentDraft?.entries ?? baseEntries), ...changes }
    storeDraft(draftId, areEntriesEqual(newEntries, baseEntries) ? undefined : { ...currentDraft, entries: newEntries })
  }
  const clear = () => storeDraft(draftId, undefined)
  const undoImport = () => {
    const entries = draft?.imported?.before
    if (entries) storeDraft(draftId, areEntriesEqual(entries, baseEntries) ? undefined : { entries })
  }
  const getFailureTexts = useFailureTexts()
  const [errors, setErrors] = useState<Errors>({})
  const show = (newErrors: Errors): boolean => {
    setErrors(newErrors)
    const [firstField] = Object.keys(newErrors).flatMap((name) => toFieldName(name) ?? [])
    // Wait for a frame, so that the error message is rendered before its field is scrolled into view.
    if (firstField) requestAnimationFrame(() => focusField(firstField))
    return firstField !== undefined
  }
  const formatFailure = (failure: Failure, field: FieldName): string => {
    const { title, remedy } = getFailureTexts(failure)
    if (field === 'caFile' && failure.code === 'file.unparsable') return t('certificates.notOne')
    return field === 'secret' ? title : `${title}. ${remedy}`
  }
  const texts = {
    name: t('form.nameMissing'),
    tokenUrl: t('signIn.tokenUrlMissing'),
    clientId: t('signIn.clientIdMissing'),
    program: t('signIn.programMissing'),
  }
  const saveConnection = useAction('connections.save', { invalidates: ['connections'] })
  const { data: connections = [] } = useCall('connections.list', {})
  const name = entries.name.trim()
  const isNameTaken =
    name !== '' &&
    connections.some((otherConnection) => otherConnection.name === name && otherConnection.id !== connection?.id)
  const save = (): void => {
    if (saveConnection.isPending) return
    const missingTexts = Object.fromEntries(listMissingFields(entries).map((field) => [field, texts[field]]))
    if (show({ ...missingTexts, ...(isNameTaken && { name: t('form.nameTaken') }) })) return
    saveConnection.mutate(toConnectionInput(entries, connection?.id), {
      onSuccess: (saved) => {
        clearTests(saved.connection.id)
        clear()
        onSaved(saved)
      },
      onError: ({ failure }) => {
        const field = toFieldName(failure.field)
        if (field) show({ [field]: formatFailure(failure, field) })
        if (field === 'secret') change({ pending: undefined })
      },
    })
  }
  const set = (field: FieldName, changes: Partial<Entries>): void => {
    setErrors(({ [field]: _, ...otherErrors }) => otherErrors)
    change(changes)
  }
  /** Attributes of the form's control for a text. */
  const toTextField = (field: TextFieldName) => ({
    'data-field': field,
    error: errors[field],
    value: entries[field],
    onChange: (text: string) => set(field, { [field]: text }),
  })
  const failure = saveConnection.error?.failure
  const field = toFieldName(failure?.field)
  return {
    entries,
    draft,
    errors,
    save,
    set,
    toTextField,
    undoImport,
    setAddress: (key: AddressKey, text: string) => set(key, { addresses: { ...entries.addresses, [key]: text } }),
    discard: () => {
      clear()
      show({})
      saveConnection.reset()
    },
    nameTaken: isNameTaken ? t('form.nameTaken') : undefined,
    isSaving: saveConnection.isPending,
    isDirty: draft !== undefined,
    secretFailure: field === 'secret' && errors.secret ? failure : undefined,
    /** Failure to show above the form, because it belongs to no single field. */
    failure: field === undefined ? failure : undefined,
  }
}

export type ConnectionForm = ReturnType<typeof useConnectionForm>

interface Draft {
  readonly entries: Entries
  readonly imported?: { readonly corrections: ConnectionDraft['corrections']; readonly before: Entries } | undefined
}

/** Draft key of a new connection. No connection has an empty id. */
export const newDraft = ''

/** Drafts of connection forms by connection id, kept until the window closes. */
export const useDrafts = create<{
  readonly drafts: Readonly<Record<string, Draft | undefined>>
  readonly keep: (draftId: string, draft: Draft | undefined) => void
}>((set) => ({
  drafts: {},
  keep: (draftId, draft) => set(({ drafts }) => ({ drafts: { ...drafts, [draftId]: draft } })),
}))

/** Fills the form from an imported file, and can restore the content from before. */
export function useImport(connection: ConnectionView | undefined, onFilled?: () => void) {
  const draftId = connection?.id ?? newDraft
  const readFileAction = useAction('connections.readFile')
  const { drafts, keep } = useDrafts()
  const chooseFile = (): void => {
    if (readFileAction.isPending) return
    readFileAction.mutate(
      {},
      {
        onSuccess: ({ draft: importedDraft }) => {
          if (!importedDraft) return
          const previousEntries = drafts[draftId]?.entries ?? toEntries(connection)
          // Keep the pasted secret, because an imported file never contains a secret.
          const entries = { ...toEntries(importedDraft), pending: previousEntries.pending }
          keep(draftId, { entries, imported: { corrections: importedDraft.corrections, before: previousEntries } })
          onFilled?.()
        },
      },
    )
  }
  return { choose: chooseFile, isReading: readFileAction.isPending, failure: readFileAction.error?.failure }
}

/** Focuses the page title after navigation, unless another element already has the focus. */
export function useTitleFocus(): void {
  useEffect(() => {
    if (document.activeElement !== document.body) return
    document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
  }, [])
}
