import type { PromptVersion } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { Command as List } from 'cmdk'
import i18next from 'i18next'
import { ArrowUp, BookText, Paperclip, Search, Square } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { showFailureToast } from '../../i18n/failures'
import { call, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { isOverlayOpen, useWindowKey } from '../../shortcuts'
import { Button } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { Kbd } from '../../ui/code'
import { FinderDialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { Hint } from '../../ui/text'
import { FilePicker } from './file-picker'
import { AttachmentList } from './message-row'
import { isSendable } from './parameters-fields'
import type { PdfProblem, PdfResult } from './pdf-text'
import { type Chat, changeDraft, draftKey, pastedFiles, useChatView, useDraft } from './use-chat'

const t = i18next.getFixedT(null, 'playground')

function Hints({ isComing, canEdit }: { readonly isComing: boolean; readonly canEdit: boolean }) {
  const lastHint = canEdit
    ? { keys: ['↑'], text: t('composer.hintEdit') }
    : { keys: ['Shift', 'Enter'], text: t('composer.hintLine') }
  const hints = isComing
    ? [{ keys: ['Esc'], text: t('composer.hintStop') }]
    : [{ keys: ['Enter'], text: t('composer.hint') }, lastHint]
  return (
    <p className="mr-2 flex gap-3 whitespace-nowrap text-faint text-sm">
      {hints.map(({ keys, text }) => (
        <span key={text} className="inline-flex items-center gap-1.25">
          <Kbd keys={keys} /> {text}
        </span>
      ))}
    </p>
  )
}

function useFiles(attachFiles: (files: readonly File[]) => Promise<void>) {
  const [isOver, setOver] = useState(false)
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')
  return {
    isOver,
    onPaste: (event: ClipboardEvent): void => {
      const files = pastedFiles(event.clipboardData)
      if (files.length === 0) return
      event.preventDefault()
      void attachFiles(files)
    },
    onDragOver: (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent): void => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      void attachFiles([...event.dataTransfer.files])
    },
  }
}

/** Reason why nothing can be sent, or undefined. */
function findSendBlockReason({ setup }: Chat): string | undefined {
  if (!setup.target) return t('composer.chooseModel')
  return isSendable(setup.parameters) ? undefined : t('composer.fixParameters')
}

export function Composer({ chat, onEditLast }: { readonly chat: Chat; readonly onEditLast: () => void }) {
  const key = draftKey(chat.conversationId)
  const draft = useDraft(key)
  const field = useRef<HTMLTextAreaElement>(null)
  const [isPicking, setPicking] = useState(false)
  const { take, remove, reading, problems, clearProblems } = useAttachFiles(key, draft.attachments.length)
  const { isOver, ...files } = useFiles(take)
  const { target } = chat.setup
  const obstacle = findSendBlockReason(chat)
  const isRunActive = chat.activeRun !== undefined
  const isEmpty = draft.text.trim() === '' && draft.attachments.length === 0
  const canSend = !isEmpty && !isRunActive && !chat.isBusy && obstacle === undefined && reading === undefined
  const statusText =
    reading === undefined ? (isEmpty ? undefined : obstacle) : t('composer.attaching', { name: reading })
  // Focus the message field when a conversation opens, and after an earlier message was edited.
  const editedMessageId = useChatView((view) => view.editing)
  useEffect(() => {
    if (editedMessageId === undefined) field.current?.focus({ preventScroll: true })
  }, [editedMessageId])
  // Escape stops the current answer, unless it closes a dialog or menu.
  useWindowKey(
    (event) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isOverlayOpen()) chat.stop()
    },
    { isOn: isRunActive },
  )
  const setDraftText = (text: string): void => changeDraft(key, ({ attachments }) => ({ text, attachments }))
  const send = (): void => {
    clearProblems()
    chat.send(draft)
  }
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (canSend) send()
    } else if (event.key === 'ArrowUp' && draft.text === '' && chat.branch.length > 0) {
      event.preventDefault()
      onEditLast()
    }
  }
  return (
    <div className="flex-none px-8 pb-4">
      <div
        className={joinClassNames(
          'relative mx-auto flex max-w-195 flex-col gap-1.5 rounded-xl border border-border-control bg-surface p-2',
          'transition-colors focus-within:border-focus',
          isOver && 'border-accent border-dashed',
        )}
        role="presentation"
        {...files}
      >
        {draft.attachments.length > 0 ? <AttachmentList ids={draft.attachments} onRemove={remove} /> : null}
        {problems.length > 0 ? (
          <div className="px-1.5 text-danger text-sm" role="alert">
            {problems.map((problem) => (
              <p key={problem} className="wrap-anywhere">
                {problem}
              </p>
            ))}
          </div>
        ) : null}
        <textarea
          ref={field}
          className={joinClassNames(
            'field-sizing-content max-h-[min(38vh,320px)] min-h-7 w-full resize-none',
            'overflow-auto px-1.5 py-1 leading-5 outline-none',
          )}
          rows={1}
          aria-label={t('composer.label')}
          placeholder={target ? t('composer.placeholder', { model: target.modelCode }) : t('composer.placeholderNone')}
          value={draft.text}
          onChange={(event) => setDraftText(event.target.value)}
          onKeyDown={handleKeyDown}
        />
        <div className="flex items-center gap-1">
          <FilePicker label={t('composer.attach')} onFiles={(chosen) => void take(chosen)}>
            {(open) => <IconButton icon={Paperclip} label={t('composer.attach')} onClick={open} />}
          </FilePicker>
          <IconButton icon={BookText} label={t('composer.prompts')} onClick={() => setPicking(true)} />
          <Hint className="min-w-0 flex-1 truncate px-1.5" role="status">
            {statusText}
          </Hint>
          {statusText === undefined ? (
            <Hints isComing={isRunActive} canEdit={draft.text === '' && chat.branch.length > 0} />
          ) : null}
          {isRunActive ? (
            <Button icon={Square} onClick={chat.stop}>
              {t('composer.stop')}
            </Button>
          ) : (
            <Button
              variant="primary"
              icon={ArrowUp}
              busy={chat.isBusy}
              disabled={!canSend && !chat.isBusy}
              onClick={send}
            >
              {t('composer.send')}
            </Button>
          )}
        </div>
        {isOver ? (
          <p
            className={joinClassNames(
              'pointer-events-none absolute inset-0 flex items-center justify-center',
              'rounded-[inherit] bg-accent-soft font-medium text-accent-text',
            )}
          >
            {t('composer.drop')}
          </p>
        ) : null}
      </div>
      {isPicking ? (
        <PromptPicker
          onClose={() => setPicking(false)}
          onPick={(version) => {
            setDraftText(draft.text === '' ? version.text : `${draft.text}\n${version.text}`)
            if (chat.conversationId !== undefined) return
            const activeTarget = version.target ?? target
            const { system, parameters } = version
            chat.changeSetup({ system, parameters, ...(activeTarget && { target: activeTarget }) })
          }}
        />
      ) : null}
    </div>
  )
}

/** Attaches files to a message draft one by one, and reports files that are rejected. */
function useAttachFiles(key: string, count: number) {
  const [reading, setReading] = useState<string>()
  const [problems, setProblems] = useState<readonly string[]>([])
  const addProblem = (problem: string): void => setProblems((earlier) => [...new Set([...earlier, problem])])
  const attachFile = async (file: File): Promise<void> => {
    if (isTooLarge(file)) return addProblem(t('composer.tooLarge', { name: file.name }))
    setReading(file.name)
    try {
      const input = isPdf(file) ? await toTextFile(file) : file
      if (typeof input === 'string') return addProblem(t(`composer.pdf.${input}`, { name: file.name }))
      const base64 = await readAsBase64(input)
      const name = input.name === '' ? 'image.png' : input.name.slice(-255)
      const { id } = await call('playground.attach', { name, mediaType: input.type.slice(0, 100), base64 })
      changeDraft(key, (draft) => ({ ...draft, attachments: [...draft.attachments, id] }))
    } catch {
      addProblem(t('composer.notTaken', { name: file.name }))
    }
  }
  const attachFiles = async (files: readonly File[]): Promise<void> => {
    setProblems([])
    if (count + files.length > maxAttachments) addProblem(t('composer.tooMany'))
    for (const file of files.slice(0, maxAttachments - count)) await attachFile(file)
    setReading(undefined)
  }
  const remove = (id: string): void =>
    changeDraft(key, (draft) => ({
      ...draft,
      attachments: draft.attachments.filter((attachmentId) => attachmentId !== id),
    }))
  return { take: attachFiles, remove, reading, problems, clearProblems: () => setProblems([]) }
}

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const mebibyte = 1024 * 1024
const maxBytes = { image: 5 * mebibyte, pdf: 20 * mebibyte, text: mebibyte } as const
const maxAttachments = 20

const isTooLarge = (file: File): boolean =>
  file.size > maxBytes[imageTypes.includes(file.type) ? 'image' : isPdf(file) ? 'pdf' : 'text']

async function readAsBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(file)
  })
}

/** Inserts the newest version of a saved prompt. */
function PromptPicker(props: { readonly onPick: (version: PromptVersion) => void; readonly onClose: () => void }) {
  const { onPick, onClose } = props
  const prompts = useCall('playground.prompts', {})
  const choosePrompt = async (id: string): Promise<void> => {
    try {
      const [newest] = (await call('playground.prompt', { id })).versions
      if (newest) onPick(newest)
      onClose()
    } catch (error) {
      showFailureToast()(error)
    }
  }
  return (
    <FinderDialog title={t('promptPicker.title')} onClose={onClose}>
      <List label={t('promptPicker.title')} loop>
        <div className="flex h-12 items-center gap-2.5 border-b pr-3.5 pl-4 text-faint">
          <Search size={16} strokeWidth={1.8} aria-hidden="true" />
          <List.Input
            autoFocus
            className="h-full min-w-0 flex-1 text-[14px] text-text outline-none"
            placeholder={t('promptPicker.placeholder')}
          />
        </div>
        <Loaded query={prompts}>
          {(allPrompts) => (
            <List.List className="max-h-[min(400px,58vh)] scroll-p-1.5 overflow-auto p-1.5">
              <List.Empty className="p-7 text-center text-muted">
                {t(allPrompts.length === 0 ? 'promptPicker.none' : 'promptPicker.noMatch')}
              </List.Empty>
              {allPrompts.map(({ id, name, tags, preview }) => (
                <List.Item
                  key={id}
                  value={id}
                  keywords={[name, ...tags, preview]}
                  onSelect={() => void choosePrompt(id)}
                  className="flex flex-col rounded-md px-2.5 py-1.5 data-[selected=true]:bg-hover"
                >
                  <span className="flex items-center gap-1.5 font-medium">
                    {name}
                    {tags.map((tag) => (
                      <span key={tag} className="rounded-full bg-pressed px-1.5 font-normal text-muted text-xs">
                        {tag}
                      </span>
                    ))}
                  </span>
                  <span className="truncate text-muted text-sm">{preview}</span>
                </List.Item>
              ))}
            </List.List>
          )}
        </Loaded>
      </List>
    </FinderDialog>
  )
}

const isPdf = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  type === 'application/pdf' || /\.pdf$/i.test(name)

/** Text of a PDF as a text file. Reads it in a worker for at most a minute, so that no file can block the window. */
async function toTextFile(file: File): Promise<File | PdfProblem> {
  const bytes = await file.arrayBuffer()
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  try {
    const result = await new Promise<PdfResult>((resolve) => {
      setTimeout(() => resolve('unreadable'), minuteMs)
      worker.onerror = () => resolve('unreadable')
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }: MessageEvent<PdfResult>) => resolve(data)
      worker.postMessage(bytes, [bytes, port2])
    })
    return typeof result === 'string' ? result : new File([result.text], file.name, { type: 'text/plain' })
  } finally {
    worker.terminate()
  }
}
