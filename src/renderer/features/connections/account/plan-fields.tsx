import type { AddressView, PendingKeyView } from '@shared/contract'
import { hasHiddenCharacters } from '@shared/hidden-characters'
import { limits } from '@shared/limits'
import { apiStandards } from '@shared/usage-words'
import { keepPreviousData } from '@tanstack/react-query'
import i18next from 'i18next'
import { ArrowRight, Plus, WandSparkles, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { joinClassNames } from '../../../ui/cn'
import { Field, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { PasteBox } from '../../../ui/paste-box'

const t = i18next.getFixedT(null, 'plans')

interface ModelCodesProps {
  readonly codes: readonly string[]
  readonly onChange: (codes: readonly string[]) => void
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
  /** Whether each model code has a copy button. */
  readonly canCopy?: boolean
  /** State of the text that was typed but not added to the list yet. Pass it if the form saves that text as well. */
  readonly typed?: { readonly text: string; readonly onText: (text: string) => void }
}

/** Chips with a text field. Accepts typed codes and pasted lists. */
export function ModelCodes(props: ModelCodesProps) {
  const { codes, onChange, label, hint, optional = false, canCopy = false, typed } = props
  const [ownText, setOwnText] = useState('')
  const text = typed?.text ?? ownText
  const setText = typed?.onText ?? setOwnText
  const [invalid] = readCodes(text).invalid
  const commit = (typedText: string): void => {
    const parsedCodes = readCodes(typedText)
    setText(parsedCodes.invalid.join(' '))
    if (parsedCodes.codes.length > 0) onChange(mergeCodes(codes, parsedCodes.codes))
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter' && text.trim() !== '') {
      event.preventDefault()
      commit(text)
    }
    if (event.key === 'Backspace' && text === '' && codes.length > 0) onChange(codes.slice(0, -1))
  }
  const type = (typedText: string): void => {
    if (/[,;\n]/.test(typedText)) commit(typedText)
    else setText(typedText)
  }
  return (
    <Field
      label={label}
      optional={optional}
      hint={hint}
      error={invalid === undefined ? undefined : t('chips.invalid', { code: invalid })}
    >
      {codes.length > 0 ? (
        <ul className="flex flex-wrap gap-1.5" aria-label={t('chips.added')}>
          {codes.map((code) => (
            <li
              key={code}
              className={joinClassNames(
                'inline-flex min-h-7 max-w-full items-center rounded-md border bg-well pl-2.5 [&>code]:mr-1',
                '[&>code]:wrap-anywhere',
              )}
            >
              <code>{code}</code>
              {canCopy ? <CopyText text={code} label={t('chips.copy', { code })} /> : null}
              <IconButton
                icon={X}
                size="sm"
                label={t('chips.remove', { code })}
                onClick={() => onChange(codes.filter((otherCode) => otherCode !== code))}
              />
            </li>
          ))}
        </ul>
      ) : null}
      <TextInput
        mono
        value={text}
        placeholder={t('new.modelsPlaceholder')}
        onChange={(event) => type(event.target.value)}
        onPaste={(event) => {
          // Handle pasted lines here, because a single-line field would join them.
          const pastedText = event.clipboardData.getData('text')
          if (!/[\n\r]/.test(pastedText)) return
          event.preventDefault()
          commit(`${text}${pastedText}`)
        }}
        onKeyDown={handleKeyDown}
        trailing={
          text.trim() === '' ? null : (
            <IconButton icon={Plus} size="sm" label={t('chips.add')} onClick={() => commit(text)} />
          )
        }
      />
    </Field>
  )
}

interface PasteKeyProps {
  readonly pending: PendingKeyView | undefined
  readonly onTaken: (pending: PendingKeyView) => void
  /** Element id of the button, so that the button of a failure can focus it. */
  readonly buttonId?: string
  /** Whether the button gets the focus when mounted. For pages whose only action is pasting the key. */
  readonly autoFocus?: boolean
}

/** Button that pastes a key. The main process reads it from the clipboard, and the window only gets the masked key. */
export function PasteKey({ pending, onTaken, buttonId, autoFocus = false }: PasteKeyProps) {
  const readKeyFromClipboard = useAction('plans.takeKeyFromClipboard', { onSuccess: onTaken })
  const pasteFromClipboard = (): void => readKeyFromClipboard.mutate({})
  return (
    <PasteBox
      label={t('paste.label')}
      masked={pending?.masked}
      how={t(pending ? 'paste.held' : 'paste.how')}
      button={t('paste.button')}
      busy={readKeyFromClipboard.isPending}
      onTake={pasteFromClipboard}
      buttonId={buttonId}
      autoFocus={autoFocus}
    >
      <ExplainedFailure
        failure={readKeyFromClipboard.error?.failure}
        tone="warning"
        handlers={{ pasteKey: pasteFromClipboard }}
      />
    </PasteBox>
  )
}

export function Corrections({ address }: { address: AddressView }) {
  const corrections = [...new Set(address.corrections)]
  if (corrections.length === 0) return null
  const [scheme] = address.url.split('://')
  return (
    <p className="flex gap-1.5 text-muted text-sm [&>svg]:mt-0.5 [&>svg]:text-accent-text">
      <WandSparkles size={14} strokeWidth={1.8} />
      <span>
        {t('address.corrected')}:{' '}
        {corrections.map((correction) => t(`address.corrections.${correction}`, { scheme })).join(', ')}.{' '}
        {t('address.becomes')} <code className="font-semibold text-text wrap-anywhere">{address.url}</code>
      </span>
    </p>
  )
}

export function StandardAddresses({ address }: { address: AddressView }) {
  return (
    <ul className="@container divide-y rounded-md border bg-well" aria-label={t('address.tools')}>
      {apiStandards.map((standard) => {
        const name = t(`address.standards.${standard}`)
        const baseAddress = address.bases[standard]
        const request = address.requests[standard]
        return (
          <li
            key={standard}
            className={joinClassNames(
              'grid min-h-9 grid-cols-[16px_minmax(0,1fr)] items-center gap-x-2 gap-y-0.5 py-1.5 pr-2 pl-3',
              '@min-[941px]:grid-cols-[minmax(130px,160px)_minmax(0,1fr)_16px_minmax(0,1.4fr)]',
              '@min-[941px]:py-1',
            )}
          >
            <span className="text-muted text-sm @max-[941px]:col-span-full">{name}</span>
            <span className="flex min-w-0 items-center gap-0.5 @max-[941px]:col-span-full">
              <span className="sr-only">{t('address.base')}</span>
              <code className="min-w-0 wrap-anywhere">{baseAddress}</code>
              <CopyText text={baseAddress} label={t('address.copyBase', { standard: name })} />
            </span>
            <ArrowRight size={14} className="text-faint" />
            <span className="flex min-w-0 items-center gap-0.5">
              <span className="sr-only">{t('address.request')}</span>
              <code className="min-w-0 wrap-anywhere">
                {request.startsWith(baseAddress) ? baseAddress : request}
                <b className="font-semibold text-accent-text">
                  {request.startsWith(baseAddress) ? request.slice(baseAddress.length) : ''}
                </b>
              </code>
              <CopyText text={request} label={t('address.copyRequest', { standard: name })} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Returns the value with a delay, after the user has stopped typing. The first value applies immediately. */
export function useDebouncedValue<T>(value: T, delayMs = 250): T {
  const [settled, setSettled] = useState(value)
  const [json, settledJson] = [JSON.stringify(value), JSON.stringify(settled)]
  useEffect(() => {
    if (json === settledJson) return
    const timer = setTimeout(() => setSettled(value), delayMs)
    return () => clearTimeout(timer)
  }, [json, settledJson, value, delayMs])
  return settled ?? value
}

/** Parses the typed gateway address in the main process, with a delay while the user types. */
export function useParsedAddress(text: string) {
  const settled = useDebouncedValue(text)
  const isEmpty = settled.trim() === ''
  const query = useCall(
    'plans.readAddress',
    { text: settled.slice(0, 4000) },
    { enabled: !isEmpty, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY },
  )
  const isQueryCurrent = text === settled && !query.isPlaceholderData && !isEmpty
  return {
    /** Parsed gateway address for the current text. Undefined while parsing. */
    address: isQueryCurrent ? query.data : undefined,
    /** Result of an earlier text, shown until the current text is parsed. */
    shown: isEmpty || query.isError ? undefined : query.data,
    failure: isQueryCurrent ? query.error?.failure : undefined,
  }
}

export type ReadAddress = ReturnType<typeof useParsedAddress>

const maxCodeLength = 200

/** Rule that a plan name violates. An empty name counts as valid, because the user has not typed yet. */
export function nameProblem(name: string): 'rule' | 'tooLong' | undefined {
  if (name !== '' && !/^[a-zA-Z0-9_.-]+$/.test(name)) return 'rule'
  return name.length > limits.nameCharacters ? 'tooLong' : undefined
}

/** Text for an invalid or duplicate plan name. */
export function formatPlanNameError(name: string, isTaken: boolean): string | undefined {
  const problem = nameProblem(name)
  if (problem === 'rule') return t('new.nameRule')
  if (problem === 'tooLong') return t('new.nameTooLong', { count: name.length })
  return isTaken ? t('new.nameTaken') : undefined
}

/** Valid plan name derived from the gateway's host. */
export function suggestName(gatewayUrl: string): string {
  if (!URL.canParse(gatewayUrl)) return ''
  const { hostname, port } = new URL(gatewayUrl)
  const host = hostname.replace(/[^a-zA-Z0-9_.-]/g, '')
  return (port === '' ? host : `${host}-${port}`).slice(0, limits.nameCharacters)
}

/** Splits by lines, commas and semicolons. Separates invalid codes. */
export function readCodes(text: string): { readonly codes: readonly string[]; readonly invalid: readonly string[] } {
  const modelCodes = text
    .split(/[\n\r,;]+/)
    .map((code) => code.trim())
    .filter((code) => code !== '')
  const isCode = (code: string): boolean =>
    code.length <= maxCodeLength && !/\s/.test(code) && !hasHiddenCharacters(code)
  return { codes: modelCodes.filter(isCode), invalid: modelCodes.filter((code) => !isCode(code)) }
}

/** Merges model codes in order, because tools use the first code by default. */
export const mergeCodes = (existingCodes: readonly string[], added: readonly string[]): readonly string[] => [
  ...new Set([...existingCodes, ...added]),
]

/** Number of tokens, undefined if empty, or `invalid`. Accepts thousands separators. */
export function readContext(text: string): number | 'invalid' | undefined {
  const digits = text.replace(/[\s.,_]/g, '')
  if (digits === '') return undefined
  const count = Number(digits)
  return Number.isInteger(count) && count >= 1_000 && count <= 10_000_000 ? count : 'invalid'
}
