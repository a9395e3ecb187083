import type { MethodOutput, PlaygroundTarget } from '@shared/contract'
import { Play, Plus, Square, X } from 'lucide-react'
import Papa from 'papaparse'
import type { ClipboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { useCopyText } from '../../../copy-text'
import { useFormats } from '../../../format'
import { useAction, useCancelableCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Page, PageHeader, Section } from '../../../ui/page'
import { Table } from '../../../ui/table'
import { Hint } from '../../../ui/text'
import { changeDraft, PlaygroundTabs, RunProblem, useDraft } from '..'
import { focusTarget, InferenceTarget, RunFooter, StartFailure } from './parts'

const draftKey = 'embeddings'

export function EmbeddingsPage() {
  const { t } = useTranslation('inference')
  const { target, shown } = useEmbeddings()
  const inputs = splitInputs(useDraft(draftKey).text)
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
          onChange={(changed) => changeDraft(draftKey, (draft) => ({ ...draft, text: joinInputs(changed) }))}
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

function InputsList({
  inputs,
  onChange,
}: {
  readonly inputs: readonly string[]
  readonly onChange: (inputs: readonly string[]) => void
}) {
  const { t } = useTranslation('inference')
  const handlePaste = (event: ClipboardEvent, index: number): void => {
    const text = event.clipboardData.getData('text/plain').trim()
    // Split pasted lines into several inputs only if this input is empty. Otherwise they become part of its text.
    if (!text.includes('\n') || inputs[index]?.trim() !== '') return
    event.preventDefault()
    const lines = text.split('\n').flatMap((line) => line.trim() || [])
    onChange(inputs.toSpliced(index, 1, ...lines).slice(0, maxInputs))
  }
  const rows = inputs.map((text, index) => ({ text, at: index }))
  return (
    <section className="flex flex-col gap-2" aria-label={t('embeddings.inputs')}>
      <p className="font-strong" aria-hidden="true">
        {t('embeddings.inputs')}
      </p>
      {rows.map(({ text, at }) => (
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

/** Splits a text into inputs. Returns at least one input, which may be empty. */
const splitInputs = (draft: string): readonly string[] => draft.split(separator).slice(0, maxInputs)

const joinInputs = (inputs: readonly string[]): string =>
  inputs.map((input) => input.replaceAll(separator, '')).join(separator)

function EmbeddedView(props: {
  readonly embedded: EmbeddedInputs
  /** Whether the inputs changed after the run, so that its result is outdated. */
  readonly isOld: boolean
  readonly onAgain: () => void
}) {
  const { embedded, isOld, onAgain } = props
  const { t } = useTranslation('inference')
  const copyText = useCopyText()
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

const toJson = ({ run, inputs, embeddings, similarity }: EmbeddedInputs): string =>
  JSON.stringify(
    {
      model: run.target.modelCode,
      embeddings: embeddings.map((embedding, index) => ({ input: inputs[index], ...embedding })),
      similarity,
    },
    undefined,
    2,
  )

/** Similarity matrix with the inputs as first row and column. */
const toCsv = ({ inputs, similarity }: EmbeddedInputs): string =>
  Papa.unparse([['', ...inputs], ...similarity.map((row, index) => [inputs[index] ?? '', ...row])], {
    escapeFormulae: true,
  })

const maxTintPercent = 42

/** Background color of a cell, in proportion to the similarity. */
const toSimilarityColour = (similarity: number): string =>
  `color-mix(in srgb, var(--accent) ${Math.round(Math.max(0, Math.min(1, similarity)) * maxTintPercent)}%, transparent)`

const cellClass = 'h-7.5 min-w-14 whitespace-nowrap px-2 text-center'
const headClass = joinClassNames(cellClass, 'font-medium text-muted')

function SimilarityTable({ embedded }: { readonly embedded: EmbeddedInputs }) {
  const { t } = useTranslation('inference')
  const { locale } = useFormats()
  const scoreFormat = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
  const { inputs, similarity } = embedded
  const rows = similarity.map((cells, row) => ({ row, cells: cells.map((value, column) => ({ value, column })) }))
  return (
    <div className="w-fit max-w-full overflow-x-auto rounded-md border">
      <table className="text-sm tabular-nums">
        <caption className="sr-only">{t('embeddings.similarity')}</caption>
        <thead>
          <tr>
            <td />
            {rows.map(({ row }) => (
              <th key={row} scope="col" className={headClass} title={inputs[row]}>
                {row + 1}
                <span className="sr-only">: {inputs[row]}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, cells }) => (
            <tr key={row}>
              <th
                scope="row"
                className={joinClassNames(headClass, 'sticky left-0 max-w-60 truncate bg-page text-start')}
                title={inputs[row]}
              >
                <span className="text-faint text-sm tabular-nums">{row + 1}</span> {inputs[row]}
              </th>
              {cells.map(({ value, column }) => (
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
  const { t } = useTranslation('inference')
  const { locale, number } = useFormats()
  const scoreFormat = new Intl.NumberFormat(locale, { minimumFractionDigits: 4, maximumFractionDigits: 4 })
  const formatNumbers = (numbers: readonly number[]): string => numbers.map(scoreFormat.format).join('  ')
  const rows = embedded.embeddings.map((embedding, index) => ({
    ...embedding,
    at: index,
    input: embedded.inputs[index] ?? '',
  }))
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
          cell: ({ dimensions }) => number(dimensions),
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
  const bars = numbers.map((number, index) => ({
    at: index,
    size: (Math.abs(number) / maxMagnitude) * (height / 2),
    isUp: number >= 0,
  }))
  return (
    <svg className="block fill-series-1" width={numbers.length * barWidth} height={height} aria-hidden="true">
      {bars.map(({ at, size, isUp }) => (
        <rect
          key={at}
          x={at * barWidth}
          y={isUp ? height / 2 - size : height / 2}
          width={barWidth - 1}
          height={Math.max(size, 0.5)}
        />
      ))}
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
