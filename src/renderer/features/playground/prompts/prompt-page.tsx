import type { PromptVersion, PromptView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Columns3, Copy, Download, GitCompareArrows, History, MessageSquare, Trash2 } from 'lucide-react'
import { useContext, useEffect, useState } from 'react'
import { UNSAFE_NavigationContext as NavigationContext, useNavigate, useParams } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { callKey, useAction, useCall } from '../../../ipc'
import { newPrompt, promptPath, promptsPath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { useWindowKey } from '../../../shortcuts'
import { Badge, StatusDot } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { IconButton } from '../../../ui/icon-button'
import { MenuButton, type MenuItem } from '../../../ui/menu'
import { Page, PageHeader } from '../../../ui/page'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { useWindowState } from '../../../window-state'
import { changeDraft, clearDraft, isSendable, PartPage, useStoredDraft } from '..'
import { TextDiff } from '../compare'
import {
  emptyForm,
  formatVersion,
  isSameForm,
  PromptFields,
  type PromptForm,
  toPromptBody,
  toPromptDraft,
  toPromptForm,
} from './prompt-form'
import { copyPrompt, useExportPrompts, useOpenPrompt, useRemovePrompt } from './prompts-page'

const t = i18next.getFixedT(null, 'prompts')

const toDraftKey = (promptId: string): string => `prompt:${promptId}`

interface EditProps {
  /** The prompt as saved. Undefined for a new prompt. */
  readonly prompt: PromptView | undefined
  /** Draft of the prompt's text, restored after a restart of the app. */
  readonly draftText: string
}

/** Form state, kept until the window closes. The text is also saved as a draft until the prompt is saved. */
function useForm({ prompt, draftText }: EditProps) {
  const savedForm = prompt ? toPromptForm(prompt) : emptyForm
  const key = toDraftKey(prompt?.id ?? newPrompt)
  const [changedForm, setChangedForm] = useWindowState<PromptForm | undefined>(key, undefined)
  const form = changedForm ?? (draftText === '' ? savedForm : { ...savedForm, text: draftText })
  const [wasAsked, setWasAsked] = useState(false)
  const queries = useQueryClient()
  const savePrompt = useAction('playground.savePrompt', {
    invalidates: ['playground'],
    onSuccess: (saved) => void queries.setQueryData(callKey('playground.prompt', { id: saved.id }), saved),
  })
  const discard = (): void => {
    clearDraft(key)
    setChangedForm(() => undefined)
  }
  const change = (nextForm: PromptForm): void => {
    setChangedForm(() => nextForm)
    const text = nextForm.text === savedForm.text ? '' : nextForm.text
    if (nextForm.text !== form.text) changeDraft(key, () => ({ text, attachments: [] }))
  }
  const canSave = form.name.trim() !== '' && isSendable(form.parameters)
  const save = async (formToSave: PromptForm = form): Promise<PromptView | undefined> => {
    setWasAsked(true)
    if (!canSave) return undefined
    const savedPrompt = await savePrompt.mutateAsync(toPromptDraft(formToSave, prompt?.id)).catch(() => undefined)
    if (!savedPrompt) return undefined
    setWasAsked(false)
    discard()
    const isNew = savedPrompt.versions.length !== prompt?.versions.length
    void toast(t(isNew ? 'savedVersion' : 'saved', { number: savedPrompt.versions.length }))
    return savedPrompt
  }
  return {
    form,
    change,
    save,
    saving: savePrompt,
    canSave,
    isChanged: !isSameForm(form, savedForm),
    isNameMissing: wasAsked && form.name.trim() === '',
    discard,
  }
}

type FormState = ReturnType<typeof useForm>

function Header({ prompt, state }: { readonly prompt: PromptView | undefined; readonly state: FormState }) {
  const navigate = useNavigate()
  const { form, isChanged } = state
  const promptActions = useOpenPrompt()
  const exportPrompts = useExportPrompts()
  const remove = useRemovePrompt(() => void navigate(promptsPath))
  const items: MenuItem[] = [
    { label: t('menu.copy'), icon: Copy, disabled: form.text === '', onSelect: () => copyPrompt(form.text) },
  ]
  if (prompt)
    items.push({ label: t('menu.export'), icon: Download, onSelect: () => exportPrompts([prompt.id]) }, 'separator', {
      label: t('menu.remove'),
      icon: Trash2,
      danger: true,
      onSelect: () => remove(prompt),
    })
  const triedPrompt = { ...form, name: form.name.trim() === '' ? t('unnamed') : form.name.trim() }
  const isEmpty = form.text.trim() === ''
  return (
    <>
      <PageHeader
        title={prompt?.name ?? t('new')}
        breadcrumb={[{ label: t('title'), to: promptsPath }]}
        state={isChanged ? <StatusDot tone="warning" label={t('unsaved')} /> : t('form.state')}
        actions={[
          {
            label: t('menu.chat'),
            icon: MessageSquare,
            disabled: isEmpty,
            onClick: () => promptActions.inChat(triedPrompt),
          },
          {
            label: t('menu.compare'),
            icon: Columns3,
            disabled: isEmpty,
            busy: promptActions.isPending,
            onClick: () => promptActions.inComparison(triedPrompt),
          },
          <MenuButton key="more" label={t('moreHere')} items={items} />,
        ]}
      />
      {promptActions.dialog}
    </>
  )
}

function Edit(props: EditProps) {
  const navigate = useNavigate()
  const { prompt } = props
  const state = useForm(props)
  const { form, change, save, saving: savePrompt, isChanged, isNameMissing, discard } = state
  const [goTo, setGoTo] = useState<string>()
  const saveAndStay = (): void => {
    if (!isChanged) return
    void save().then((saved) => {
      if (saved && !prompt) setGoTo(promptPath(saved.id))
    })
  }
  useWindowKey((event) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    saveAndStay()
  })
  // Navigate in an effect, after the render that removes the navigation blocker.
  useEffect(() => {
    if (goTo !== undefined) void navigate(goTo, { replace: true })
  }, [goTo, navigate])
  const restore = (version: PromptVersion): void => {
    const { target: _, ...rest } = form
    void save({ ...rest, ...toPromptBody(version) })
  }
  return (
    <Page width="wide">
      <Header prompt={prompt} state={state} />
      <div className="grid grid-cols-[minmax(0,1fr)_220px] items-start gap-8">
        <div className="flex min-w-0 flex-col gap-4 only:col-span-full only:max-w-190">
          <PromptFields form={form} onChange={change} isNameMissing={isNameMissing} />
          <ExplainedFailure failure={savePrompt.error?.failure} />
          <div className="sticky bottom-0 z-2 flex justify-end gap-2 border-t bg-page py-3">
            <Button variant="ghost" disabled={!isChanged} onClick={discard}>
              {t('form.discard')}
            </Button>
            <Button
              variant="primary"
              busy={savePrompt.isPending}
              disabled={!isChanged}
              aria-keyshortcuts="Control+S Meta+S"
              onClick={saveAndStay}
            >
              {t('form.save')}
            </Button>
          </div>
        </div>
        {prompt ? <Versions prompt={prompt} isChanged={isChanged} onRestore={restore} /> : null}
      </div>
      <LeaveConfirmation isHeld={isChanged && goTo === undefined} state={state} />
    </Page>
  )
}

export function PromptPage() {
  const { promptId = newPrompt } = useParams()
  const isNew = promptId === newPrompt
  const prompt = useCall('playground.prompt', isNew ? undefined : { id: promptId })
  const draft = useStoredDraft(toDraftKey(promptId))
  const loaded = (isNew || prompt.data) && draft ? { prompt: prompt.data, draftText: draft.text } : undefined
  return (
    <PartPage part="prompts" query={{ ...prompt, data: loaded }}>
      {(props) => <Edit key={promptId} {...props} />}
    </PartPage>
  )
}

/** Blocks navigation with unsaved changes (hash router has no useBlocker). */
function useNavigationBlocker(isHeld: boolean) {
  const { navigator } = useContext(NavigationContext)
  const [pendingLeave, setPendingLeave] = useState<() => void>()
  useEffect(() => {
    if (!isHeld) return
    const { push, replace } = navigator
    navigator.push = (...navigateArgs) => setPendingLeave(() => () => push(...navigateArgs))
    navigator.replace = (...navigateArgs) => setPendingLeave(() => () => replace(...navigateArgs))
    return () => {
      navigator.push = push
      navigator.replace = replace
    }
  }, [isHeld, navigator])
  const leavePage = (): void => {
    setPendingLeave(undefined)
    pendingLeave?.()
  }
  return { isAsking: pendingLeave !== undefined, stay: () => setPendingLeave(undefined), leave: leavePage }
}

/** Confirms leaving the page with unsaved changes. The back action cannot be blocked, but the changes stay in memory. */
function LeaveConfirmation({ isHeld, state }: { readonly isHeld: boolean; readonly state: FormState }) {
  const { isAsking, stay, leave } = useNavigationBlocker(isHeld)
  const save = async (): Promise<void> => ((await state.save()) ? leave() : stay())
  const discardDraft = (): void => {
    state.discard()
    leave()
  }
  return (
    <Dialog
      open={isAsking}
      size="sm"
      onClose={stay}
      title={t('leave.title')}
      description={t('leave.text')}
      footer={[
        { label: t('leave.discard'), variant: 'ghost', onClick: discardDraft },
        { label: t('leave.stay'), onClick: stay },
        { label: t('leave.save'), variant: 'primary', disabled: !state.canSave, onClick: () => void save() },
      ]}
    />
  )
}

function Versions(props: {
  readonly prompt: PromptView
  readonly isChanged: boolean
  readonly onRestore: (version: PromptVersion) => void
}) {
  const { prompt, isChanged, onRestore } = props
  const [between, setBetween] = useState<readonly [number, number]>()
  const { versions } = prompt
  const newestNumber = versions[0]?.number ?? 1
  return (
    <aside className="sticky top-4 min-w-0" aria-label={t('versions.title')}>
      <h2 className="mb-1.5 font-semibold">{t('versions.title')}</h2>
      <ol className="flex max-h-[calc(100vh-180px)] flex-col overflow-auto">
        {versions.map((version, index) => {
          const { number, createdAt } = version
          const previousNumber = versions[index + 1]?.number
          return (
            <li key={number} className="flex min-h-11 items-center gap-0.5 border-t py-1">
              <button
                type="button"
                className="flex min-w-0 flex-1 flex-col rounded-sm text-start enabled:hover:[&>:first-child]:underline"
                disabled={versions.length === 1}
                onClick={() => setBetween(index === 0 ? [previousNumber ?? number, number] : [number, newestNumber])}
              >
                <span className="flex items-center gap-1.5 font-medium">
                  {t('versions.number', { number })}
                  {index === 0 ? <Badge>{t('versions.newest')}</Badge> : null}
                </span>
                <span className="whitespace-nowrap text-muted text-sm">
                  <RelativeTime at={createdAt} />
                </span>
              </button>
              {previousNumber === undefined ? null : (
                <IconButton
                  size="sm"
                  icon={GitCompareArrows}
                  label={t('versions.changes', { number })}
                  onClick={() => setBetween([previousNumber, number])}
                />
              )}
              {index === 0 ? null : (
                <IconButton
                  size="sm"
                  icon={History}
                  label={t(isChanged ? 'versions.saveFirst' : 'versions.restore', { number })}
                  aria-disabled={isChanged || undefined}
                  onClick={() => {
                    if (!isChanged) onRestore(version)
                  }}
                />
              )}
            </li>
          )
        })}
      </ol>
      {between ? <VersionDiff versions={versions} between={between} onClose={() => setBetween(undefined)} /> : null}
    </aside>
  )
}

function VersionDiff(props: {
  /** Versions of the prompt, newest first. */
  readonly versions: readonly PromptVersion[]
  readonly between: readonly [number, number]
  readonly onClose: () => void
}) {
  const { versions, between, onClose } = props
  const [from, setFrom] = useState(between[0])
  const [to, setTo] = useState(between[1])
  const olderVersion = versions.find(({ number }) => number === from)
  const newerVersion = versions.find(({ number }) => number === to)
  const select = (label: string, number: number, setNumber: (number: number) => void) => (
    <Select
      className="w-45"
      aria-label={label}
      value={String(number)}
      options={versions.map((version) => ({
        value: String(version.number),
        label: t('versions.number', { number: version.number }),
      }))}
      onValueChange={(value) => setNumber(Number(value))}
    />
  )
  return (
    <Dialog size="lg" onClose={onClose} title={t('versions.diff')}>
      <div className="flex items-center gap-2">
        {select(t('versions.from'), from, setFrom)}
        <span aria-hidden="true">→</span>
        {select(t('versions.to'), to, setTo)}
      </div>
      {olderVersion && newerVersion ? (
        <TextDiff
          before={formatVersion(olderVersion, newerVersion, (name) => t(`form.${name}`))}
          after={formatVersion(newerVersion, olderVersion, (name) => t(`form.${name}`))}
          names={[t('versions.number', { number: from }), t('versions.number', { number: to })]}
        />
      ) : null}
    </Dialog>
  )
}
