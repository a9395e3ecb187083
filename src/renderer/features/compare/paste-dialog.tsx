import type { ComparisonSetup } from '@shared/contract'
import { ClipboardPaste } from 'lucide-react'
import Papa from 'papaparse'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { cn } from '../../ui/cn'
import { Dialog } from '../../ui/dialog'
import { Field, TextArea } from '../../ui/field'
import { Switch } from '../../ui/switch'
import { Hint } from '../../ui/text'
import { useEditing, useSetup } from './editing'
import { most, newId } from './setup'

const rowsShown = 5
const problemsShown = 4

function useProblemWords(): (problem: PasteProblem) => string {
  const { t } = useTranslation('compare')
  return (problem) => {
    switch (problem.kind) {
      case 'tooManyRows':
        return t('paste.problems.tooManyRows', { count: problem.found, most: most.cases })
      case 'tooManyColumns':
        return t('paste.problems.tooManyColumns', { count: problem.found, most: most.variables })
      default:
        return t(`paste.problems.${problem.kind}`, { ...problem })
    }
  }
}

function Problems({ problems }: Pick<PastedTable, 'problems'>) {
  const { t } = useTranslation('compare')
  const words = useProblemWords()
  const shown = problems.filter(({ kind }) => kind !== 'empty')
  if (shown.length === 0) return null
  return (
    <Callout tone="danger" title={t('paste.cannot')}>
      <ul className="flex flex-col gap-0.5">
        {shown.slice(0, problemsShown).map((problem) => (
          <li key={JSON.stringify(problem)}>{words(problem)}</li>
        ))}
        {shown.length > problemsShown ? (
          <li>{t('paste.moreProblems', { count: shown.length - problemsShown })}</li>
        ) : null}
      </ul>
    </Callout>
  )
}

const cell = 'h-7 max-w-60 truncate px-2.5 text-left'

function Preview({ table }: { readonly table: PastedTable }) {
  const { t } = useTranslation('compare')
  const { variables, rows } = table
  if (variables.length === 0) return null
  return (
    <>
      <div className="max-h-47.5 overflow-auto rounded-lg border">
        <table className="w-full text-sm" aria-label={t('paste.preview')}>
          <thead>
            <tr>
              {variables.map((name, at) => (
                <th key={`${name}-${String(at)}`} scope="col" className={cn(cell, 'font-medium font-mono text-muted')}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, rowsShown).map((values, at) => (
              <tr key={`row-${String(at)}`}>
                {values.map((value, column) => (
                  <td key={`${String(at)}-${String(column)}`} className={cn(cell, 'border-t')}>
                    {value.slice(0, 200)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Hint role="status">
        {t('paste.found', { count: rows.length, columns: variables.length })}
        {rows.length > rowsShown ? ` ${t('paste.firstShown', { count: rowsShown })}` : ''}
      </Hint>
    </>
  )
}

interface PasteDialogProps {
  /** What was pasted into the table already. */
  readonly text: string
  readonly onClose: () => void
}

/** Takes cases from a spreadsheet or a CSV text, with a look at them first. */
export function PasteDialog({ text: pasted, onClose }: PasteDialogProps) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const variables = useSetup((setup) => setup.variables)
  const hasCases = useSetup((setup) => setup.cases.length > 0)
  const [text, setText] = useState(pasted)
  const [hasHead, setHasHead] = useState(true)
  const table = useMemo(() => readPasted(text, hasHead ? undefined : variables), [text, hasHead, variables])
  const take = (way: 'replace' | 'append'): void => {
    edit((setup) => withPasted(setup, table, way))
    onClose()
  }
  const isWrong = table.problems.length > 0
  return (
    <Dialog
      onClose={onClose}
      title={t('paste.title')}
      description={t('paste.text')}
      footer={
        <>
          {hasCases ? (
            <Button disabled={isWrong} onClick={() => take('append')}>
              {t('paste.append')}
            </Button>
          ) : null}
          <Button variant="primary" icon={ClipboardPaste} disabled={isWrong} onClick={() => take('replace')}>
            {t(hasCases ? 'paste.replace' : 'paste.take', { count: table.rows.length })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label={t('paste.label')}>
          <TextArea
            className="min-h-27.5 whitespace-pre font-mono text-sm"
            autoFocus
            value={text}
            placeholder={t('paste.placeholder')}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        {variables.length > 0 ? (
          <Switch label={t('paste.head')} hint={t('paste.headHint')} checked={hasHead} onCheckedChange={setHasHead} />
        ) : null}
        <Problems problems={table.problems} />
        <Preview table={table} />
      </div>
    </Dialog>
  )
}

/** What is wrong with a pasted table; `line` counts from 1 in the text. */
type PasteProblem =
  | { readonly kind: 'empty' }
  | { readonly kind: 'noRows' }
  | { readonly kind: 'unevenRow'; readonly line: number; readonly found: number; readonly wanted: number }
  | { readonly kind: 'openQuote'; readonly line: number }
  | { readonly kind: 'namelessColumn'; readonly column: number }
  | { readonly kind: 'doubledColumn'; readonly name: string }
  | { readonly kind: 'tooManyColumns'; readonly found: number }
  | { readonly kind: 'tooManyRows'; readonly found: number }
  | { readonly kind: 'tooLong'; readonly line: number }

/** A pasted table as it was read. With problems it is shown and cannot be taken. */
interface PastedTable {
  readonly variables: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly problems: readonly PasteProblem[]
}

interface Row {
  readonly values: readonly string[]
  readonly line: number
}

const nothing: PastedTable = { variables: [], rows: [], problems: [{ kind: 'empty' }] }

/** The rows of CSV or TSV (a spreadsheet copies tabs), each with the line it begins in; rows without any content are left out. */
function rowsOf(text: string): { readonly rows: readonly Row[]; readonly problems: readonly PasteProblem[] } {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const { data, errors } = Papa.parse<string[]>(text, {
    // Left to guess, a text of a single column would be cut at any comma of its first sentence.
    delimiter: firstLine.includes('\t') ? '\t' : firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',',
  })
  let line = 1
  const rows = data.map((values) => {
    const row = { values, line }
    line += 1 + values.reduce((sum, value) => sum + (value.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
    return row
  })
  const isQuote = (type: string): boolean => type === 'Quotes'
  const problems = errors
    .filter(({ type }) => isQuote(type))
    .map(({ row }): PasteProblem => ({ kind: 'openQuote', line: rows[row ?? 0]?.line ?? 1 }))
  return { rows: rows.filter(({ values }) => values.some((value) => value.trim() !== '')), problems }
}

function headProblems(names: readonly string[]): PasteProblem[] {
  const doubled = names.filter((name, at) => name !== '' && names.indexOf(name) !== at)
  return [
    ...(names.length > most.variables ? [{ kind: 'tooManyColumns' as const, found: names.length }] : []),
    ...names.flatMap((name, at) => (name === '' ? [{ kind: 'namelessColumn' as const, column: at + 1 }] : [])),
    ...[...new Set(doubled)].map((name) => ({ kind: 'doubledColumn' as const, name })),
  ]
}

function rowProblems(rows: readonly Row[], wanted: number): PasteProblem[] {
  return rows.flatMap(({ values, line }): PasteProblem[] => {
    if (values.slice(wanted).some((value) => value.trim() !== ''))
      return [{ kind: 'unevenRow', line, found: values.length, wanted }]
    return values.some((value) => value.length > most.valueLength) ? [{ kind: 'tooLong', line }] : []
  })
}

/**
 * Reads a table that was pasted, CSV or as a spreadsheet copies it. The first row names the variables unless `names` does.
 * Rows that are too short are filled up.
 */
export function readPasted(text: string, names?: readonly string[]): PastedTable {
  const { rows, problems: quotes } = rowsOf(text.replace(/^\uFEFF/, ''))
  const [head, ...rest] = rows
  if (!head) return nothing
  const body = names ? rows : rest
  const given = (names ?? head.values).map((name) => name.trim().slice(0, most.nameLength))
  // A spreadsheet copies empty columns at the right as well.
  const width = given.findLastIndex((name) => name !== '') + 1
  const variables = given.slice(0, width)
  return {
    variables,
    rows: body.map(({ values }) => variables.map((_, at) => values[at] ?? '')),
    problems: [
      ...quotes,
      ...headProblems(variables),
      ...(body.length === 0 ? [{ kind: 'noRows' as const }] : []),
      ...(body.length > most.cases ? [{ kind: 'tooManyRows' as const, found: body.length }] : []),
      ...rowProblems(body, variables.length),
    ],
  }
}

/** The setup with the rows of a pasted table: in place of the cases that are there, or after them. Columns it does not know are added. */
export function withPasted(setup: ComparisonSetup, table: PastedTable, way: 'replace' | 'append'): ComparisonSetup {
  const before = way === 'append' ? setup.cases : []
  const variables = [...setup.variables, ...table.variables.filter((name) => !setup.variables.includes(name))]
  const placed = table.rows.map((row) => ({
    id: newId(),
    values: variables.map((name) => row[table.variables.indexOf(name)] ?? ''),
  }))
  const kept = before.map((one) => ({ ...one, values: variables.map((_, at) => one.values[at] ?? '') }))
  return {
    ...setup,
    variables: variables.slice(0, most.variables),
    cases: [...kept, ...placed]
      .slice(0, most.cases)
      .map((one) => ({ ...one, values: one.values.slice(0, most.variables) })),
  }
}
