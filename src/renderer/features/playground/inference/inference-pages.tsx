import type { MethodOutput, PlaygroundParameters, PlaygroundRun, PlaygroundTarget } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { withVisibleControls } from '@shared/hidden-characters'
import i18next from 'i18next'
import { CornerDownRight, FileSearch, Play, Plus, Square, X } from 'lucide-react'
import Papa from 'papaparse'
import { type ClipboardEvent, type ComponentProps, type ReactNode, useState } from 'react'
import { create } from 'zustand'
import { CopyText, copyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatNumber, numberFormat } from '../../../format'
import { useAction, useCancelableCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { TextAreaField, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Page, PageHeader, Section } from '../../../ui/page'
import { Table } from '../../../ui/table'
import { Hint } from '../../../ui/text'
import {
  changeDraft,
  isRunActive,
  type LiveRun,
  ParametersFields,
  PlaygroundTabs,
  RunDetails,
  RunInspector,
  RunProblem,
  stopRuns,
  TargetSelect,
  useDraft,
  useRun,
} from '..'

const t = i18next.getFixedT(null, 'inference')

const embeddingsDraftKey = 'embeddings'

export function EmbeddingsPage() {
  const { target, shown } = useEmbeddings()
  const inputs = useDraft(embeddingsDraftKey).text.split(separator).slice(0, maxInputs)
  const sentTexts = inputs.filter((input) => input.trim() !== '')
  const { createCallId, cancel } = useCancelableCall()
  const embedTexts = useAction('playground.embed')
  const canRun = target !== undefined && sentTexts.length > 0 && !embedTexts.isPending
  const run = (): void => {
    if (!canRun) return
    embedTexts.mutate(
      { callId: createCallId(), target, inputs: [...sentTexts] },
      { onSuccess: (embedded) => useEmbeddings.setState({ shown: { ...embedded, inputs: sentTexts } }) },
    )
  }
  const isOld = shown !== undefined && joinInputs(shown.inputs) !== joinInputs(sentTexts)
  return (
    <Page width="wide">
      <PageHeader title={t('embeddings.title')} state={t('embeddings.state')} actions={<PlaygroundTabs />} />
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex max-w-105 flex-col gap-2">
          <InferenceTarget value={target} onChange={(chosen) => useEmbeddings.setState({ target: chosen })} />
        </div>
        <InputsList
          inputs={inputs}
          onChange={(changed) => changeDraft(embeddingsDraftKey, (draft) => ({ ...draft, text: joinInputs(changed) }))}
        />
        <div className="flex items-center gap-3">
          {embedTexts.isPending ? (
            <Button icon={Square} onClick={cancel}>
              {t('embeddings.stop')}
            </Button>
          ) : (
            <Button variant="primary" icon={Play} disabled={!canRun} onClick={run}>
              {t('embeddings.run', { count: sentTexts.length })}
            </Button>
          )}
        </div>
        <StartFailure failure={embedTexts.error?.failure} onAgain={run} />
        {shown ? <EmbeddedView embedded={shown} isOld={isOld} onAgain={run} /> : null}
      </div>
    </Page>
  )
}

function InputsList(props: { inputs: readonly string[]; onChange: (inputs: readonly string[]) => void }) {
  const { inputs, onChange } = props
  const handlePaste = (event: ClipboardEvent, index: number): void => {
    const text = event.clipboardData.getData('text/plain').trim()
    // Split pasted lines into several inputs only if this input is empty. Otherwise they become part of its text.
    if (!text.includes('\n') || inputs[index]?.trim() !== '') return
    event.preventDefault()
    const lines = text.split('\n').flatMap((line) => line.trim() || [])
    onChange(inputs.toSpliced(index, 1, ...lines).slice(0, maxInputs))
  }
  return (
    <section className="flex flex-col gap-2" aria-label={t('embeddings.inputs')}>
      <p className="font-strong" aria-hidden="true">
        {t('embeddings.inputs')}
      </p>
      {[...inputs.entries()].map(([at, text]) => (
        <div key={at} className="grid grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-2">
          <span className="text-faint text-sm tabular-nums">{at + 1}</span>
          <TextInput
            aria-label={t('embeddings.input', { number: at + 1 })}
            value={text}
            placeholder={at === 0 ? t('embeddings.placeholder') : undefined}
            onChange={({ target }) => onChange(inputs.with(at, target.value))}
            onPaste={(event) => handlePaste(event, at)}
          />
          <IconButton
            icon={X}
            label={t('embeddings.remove', { number: at + 1 })}
            disabled={inputs.length === 1 && text === ''}
            onClick={() => onChange(inputs.length === 1 ? [''] : inputs.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div className="flex items-center gap-3">
        <Button size="sm" icon={Plus} disabled={inputs.length >= maxInputs} onClick={() => onChange([...inputs, ''])}>
          {t('embeddings.add')}
        </Button>
        <Hint as="span">{t('embeddings.pasteHint', { max: maxInputs })}</Hint>
      </div>
    </section>
  )
}

const maxInputs = 50

const separator = '\u001e'

const joinInputs = (inputs: readonly string[]): string =>
  inputs.map((input) => input.replaceAll(separator, '')).join(separator)

function EmbeddedView(props: {
  readonly embedded: EmbeddedInputs
  /** Whether the inputs changed after the run, so that its result is outdated. */
  readonly isOld: boolean
  readonly onAgain: () => void
}) {
  const { embedded, isOld, onAgain } = props
  const copy = (text: string): void => copyText(text, { title: t('embeddings.copied') })
  const hasVectors = embedded.embeddings.length > 0
  return (
    <>
      <RunProblem run={embedded.run} onAgain={onAgain} onChooseModel={focusTarget} />
      <RunFooter run={embedded.run} />
      {isOld ? <Hint>{t('embeddings.old')}</Hint> : null}
      {hasVectors ? (
        <Section
          title={t('embeddings.vectors')}
          actions={[
            { label: t('embeddings.copyJson'), onClick: () => copy(toJson(embedded)) },
            { label: t('embeddings.copyCsv'), onClick: () => copy(toCsv(embedded)) },
          ]}
        >
          <VectorsTable embedded={embedded} />
        </Section>
      ) : null}
      {hasVectors && embedded.inputs.length > 1 ? (
        <Section title={t('embeddings.similarity')} description={t('embeddings.similarityText')}>
          <SimilarityTable embedded={embedded} />
        </Section>
      ) : null}
    </>
  )
}

function toJson({ run, inputs, embeddings, similarity }: EmbeddedInputs): string {
  const embeddingsWithInput = embeddings.map((embedding, index) => ({ input: inputs[index], ...embedding }))
  const copied = { model: run.target.modelCode, embeddings: embeddingsWithInput, similarity }
  return JSON.stringify(copied, undefined, 2)
}

/** Similarity matrix with the inputs as first row and column. */
function toCsv({ inputs, similarity }: EmbeddedInputs): string {
  const rows = similarity.map((row, index) => [inputs[index] ?? '', ...row])
  return Papa.unparse([['', ...inputs], ...rows], { escapeFormulae: true })
}

const maxTintPercent = 42

/** Background color of a cell, in proportion to the similarity. */
const toSimilarityColour = (similarity: number): string =>
  `color-mix(in srgb, var(--color-accent) ${Math.round(Math.max(0, Math.min(1, similarity)) * maxTintPercent)}%, transparent)`

const cellClass = 'h-7.5 min-w-14 whitespace-nowrap px-2 text-center'
const headClass = joinClassNames(cellClass, 'font-medium text-muted')

function SimilarityTable({ embedded }: { readonly embedded: EmbeddedInputs }) {
  const scoreFormat = numberFormat({ minimumFractionDigits: 3, maximumFractionDigits: 3 })
  const { inputs, similarity } = embedded
  return (
    <div className="w-fit max-w-full overflow-x-auto rounded-md border">
      <table className="text-sm tabular-nums">
        <caption className="sr-only">{t('embeddings.similarity')}</caption>
        <thead>
          <tr>
            <td />
            {[...inputs.entries()].map(([column, input]) => (
              <th key={column} scope="col" className={headClass} title={input}>
                {column + 1}
                <span className="sr-only">: {input}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...similarity.entries()].map(([row, values]) => (
            <tr key={row}>
              <th
                scope="row"
                className={joinClassNames(headClass, 'sticky left-0 max-w-60 truncate bg-page text-start')}
                title={inputs[row]}
              >
                <span className="text-faint text-sm tabular-nums">{row + 1}</span> {inputs[row]}
              </th>
              {[...values.entries()].map(([column, value]) => (
                <td key={column} className={cellClass} style={{ backgroundColor: toSimilarityColour(value) }}>
                  {scoreFormat.format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const visibleNumberCount = 3

function VectorsTable({ embedded }: { readonly embedded: EmbeddedInputs }) {
  const scoreFormat = numberFormat({ minimumFractionDigits: 4, maximumFractionDigits: 4 })
  const formatNumbers = (numbers: readonly number[]): string => numbers.map(scoreFormat.format).join('  ')
  const rows = embedded.embeddings.map((embedding, at) => ({ ...embedding, at, input: embedded.inputs[at] ?? '' }))
  return (
    <Table
      caption={t('embeddings.vectors')}
      rows={rows}
      rowKey={({ at }) => at}
      columns={[
        {
          id: 'input',
          header: t('embeddings.text'),
          cell: ({ at, input }) => (
            <span title={input}>
              <span className="text-faint text-sm tabular-nums">{at + 1}</span> {input}
            </span>
          ),
        },
        {
          id: 'dimensions',
          header: t('embeddings.dimensions'),
          align: 'right',
          width: '100px',
          cell: ({ dimensions }) => formatNumber(dimensions),
        },
        {
          id: 'norm',
          header: t('embeddings.norm'),
          align: 'right',
          width: '80px',
          cell: ({ norm }) => scoreFormat.format(norm),
        },
        {
          id: 'picture',
          header: t('embeddings.shape'),
          width: '120px',
          cell: ({ preview }) => <VectorChart numbers={preview} />,
        },
        {
          id: 'numbers',
          header: t('embeddings.numbers'),
          width: '200px',
          cell: ({ preview }) => (
            <span className="whitespace-pre font-mono text-xs" title={formatNumbers(preview)}>
              {formatNumbers(preview.slice(0, visibleNumberCount))}
              {preview.length > visibleNumberCount ? ' …' : ''}
            </span>
          ),
        },
      ]}
    />
  )
}

const height = 20
const barWidth = 3

function VectorChart({ numbers }: { readonly numbers: readonly number[] }) {
  const maxMagnitude = Math.max(...numbers.map(Math.abs), Number.MIN_VALUE)
  return (
    <svg className="block fill-series-1" width={numbers.length * barWidth} height={height} aria-hidden="true">
      {[...numbers.entries()].map(([at, number]) => {
        const size = (Math.abs(number) / maxMagnitude) * (height / 2)
        const y = number >= 0 ? height / 2 - size : height / 2
        return <rect key={at} x={at * barWidth} y={y} width={barWidth - 1} height={Math.max(size, 0.5)} />
      })}
    </svg>
  )
}

interface EmbeddedInputs extends MethodOutput<'playground.embed'> {
  readonly inputs: readonly string[]
}

export const useEmbeddings = create<{
  readonly target: PlaygroundTarget | undefined
  readonly shown: EmbeddedInputs | undefined
}>(() => ({ target: undefined, shown: undefined }))

const completionDraftKey = 'completion'

/** Page for text completions, without roles or messages. */
export function CompletionPage() {
  const { target, parameters, shown } = useCompletion()
  const prompt = useDraft(completionDraftKey).text
  const live = useRun(shown?.runId)
  const completeText = useAction('playground.complete')
  const isRunning = completeText.isPending || (live !== undefined && isRunActive(live.run))
  const canRun = target !== undefined && prompt !== '' && !isRunning
  const run = (): void => {
    if (!canRun) return
    completeText.mutate(
      { target, prompt, parameters },
      { onSuccess: ({ id }) => useCompletion.setState({ shown: { runId: id, prompt } }) },
    )
  }
  const stop = (): void => {
    if (shown) void stopRuns([shown.runId]).catch(() => undefined)
  }
  return (
    <Page width="wide">
      <PageHeader title={t('completion.title')} state={t('completion.state')} actions={<PlaygroundTabs />} />
      <div className="grid grid-cols-[minmax(0,1fr)_280px] items-start gap-6">
        <div className="flex min-w-0 flex-col gap-4">
          <TextAreaField
            label={t('completion.prompt')}
            className="min-h-30"
            rows={6}
            value={prompt}
            placeholder={t('completion.placeholder')}
            onChange={(text) => changeDraft(completionDraftKey, (draft) => ({ ...draft, text }))}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
            }}
          />
          <div className="flex items-center gap-3">
            {isRunning ? (
              <Button icon={Square} onClick={stop}>
                {t('completion.stop')}
              </Button>
            ) : (
              <Button variant="primary" icon={Play} disabled={!canRun} onClick={run}>
                {t('completion.run')}
              </Button>
            )}
            <Hint as="span">{t('completion.promptHint')}</Hint>
          </div>
          <StartFailure failure={completeText.error?.failure} onAgain={run} />
          {live && shown ? <CompletionResult live={live} prompt={shown.prompt} onAgain={run} /> : null}
        </div>
        <aside className="flex min-w-0 flex-col gap-4 border-l pl-6" aria-label={t('setup')}>
          <InferenceTarget value={target} onChange={(chosen) => useCompletion.setState({ target: chosen })} />
          <ParametersFields
            value={parameters}
            onChange={(changed) => useCompletion.setState({ parameters: changed })}
            standard="chat-completions"
            isChat={false}
          />
        </aside>
      </div>
    </Page>
  )
}

export const useCompletion = create<{
  readonly target: PlaygroundTarget | undefined
  readonly parameters: PlaygroundParameters
  readonly shown: { readonly runId: string; readonly prompt: string } | undefined
}>(() => ({ target: undefined, parameters: {}, shown: undefined }))

function CompletionResult(props: { readonly live: LiveRun; readonly prompt: string; readonly onAgain: () => void }) {
  const { prompt, onAgain } = props
  const { run, answer } = props.live
  const fullText = prompt + answer.text
  const continueFromText = (): void => changeDraft(completionDraftKey, (draft) => ({ ...draft, text: fullText }))
  return (
    <section
      className="flex flex-col gap-3 rounded-xl border bg-surface p-4"
      aria-label={t('completion.result')}
      aria-busy={isRunActive(run)}
    >
      <p className="select-text whitespace-pre-wrap wrap-anywhere leading-5">
        <span className="text-muted">{withVisibleControls(prompt)}</span>
        <ins className="rounded-xs bg-accent-soft box-decoration-clone no-underline">
          {withVisibleControls(answer.text)}
        </ins>
      </p>
      <RunProblem run={run} onAgain={onAgain} onChooseModel={focusTarget} />
      <RunFooter run={run}>
        {answer.text === '' || isRunActive(run) ? null : (
          <>
            <CopyText text={answer.text} label={t('completion.copy')} />
            <Button size="sm" variant="ghost" icon={CornerDownRight} onClick={continueFromText}>
              {t('completion.goOn')}
            </Button>
          </>
        )}
      </RunFooter>
    </section>
  )
}

/** Id of the button that selects the target. A page has one. */
const targetButton = 'inference-target'

/** Moves the focus to the target, so that the user can change it after a failure. */
const focusTarget = (): void => document.getElementById(targetButton)?.focus()

/** Target of a completion or embeddings. Explains why plans cannot be selected. */
function InferenceTarget(props: Pick<ComponentProps<typeof TargetSelect>, 'value' | 'onChange'>) {
  return (
    <>
      <TargetSelect {...props} label={t('target')} isChat={false} buttonId={targetButton} />
      {props.value ? null : <Hint>{t('noPlans')}</Hint>}
    </>
  )
}

function StartFailure({ failure, onAgain }: { readonly failure: Failure | undefined; readonly onAgain: () => void }) {
  const handlers = { tryAgain: onAgain, chooseModel: focusTarget, choosePlan: focusTarget }
  return <ExplainedFailure failure={failure} handlers={handlers} />
}

function RunFooter({ run, children }: { readonly run: PlaygroundRun; readonly children?: ReactNode }) {
  const [isInspected, setInspected] = useState(false)
  return (
    <footer className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <RunDetails run={run} />
      <div className="ml-auto flex items-center gap-1">
        {children}
        <Button size="sm" variant="ghost" icon={FileSearch} onClick={() => setInspected(true)}>
          {t('inspect')}
        </Button>
      </div>
      {isInspected ? <RunInspector runId={run.id} onClose={() => setInspected(false)} /> : null}
    </footer>
  )
}
