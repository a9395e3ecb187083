import type { ComparisonCase } from '@shared/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import i18next from 'i18next'
import { ClipboardPaste, FileUp, X } from 'lucide-react'
import { type ClipboardEvent, memo, useMemo, useRef, useState } from 'react'
import { useLocaleChange } from '../../../i18n'
import { Button, RowButton } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { Dialog } from '../../../ui/dialog'
import { TextAreaField } from '../../../ui/field'
import { Select } from '../../../ui/select'
import { Switch } from '../../../ui/switch'
import { type Column, Table } from '../../../ui/table'
import { Hint } from '../../../ui/text'
import { FilePicker } from '..'
import { useEditing, useSetup } from './editing'
import { applyPastedTable, type PastedTable, parsePastedTable } from './pasted-table'
import {
  answerChecks,
  limits,
  usedVariables,
  withCheck,
  withNewCase,
  withoutVariable,
  withRenamedVariable,
  withValue,
} from './setup'

const t = i18next.getFixedT(null, 'compare')

const rowHeight = 33

const rowClass = 'grid h-8.25 w-full'
const cell = 'flex min-w-0 items-center font-normal'
const borderedCell = joinClassNames(cell, 'border-l')
const field = 'size-full min-w-0 text-ellipsis px-2 focus-visible:rounded-sm focus-visible:-outline-offset-2'

const noCheck = 'none'

interface CaseRowProps {
  readonly variables: readonly string[]
  /** Undefined in the empty last row. */
  readonly testCase: ComparisonCase | undefined
  readonly number: number
  /** CSS grid columns. */
  readonly template: string
  readonly onPasteTable: (text: string) => void
}

/** Row of a case: the values of its variables and its check. Typing into the empty last row creates a case. */
const CaseRow = memo(function CaseRow({ variables, testCase, number, template, onPasteTable }: CaseRowProps) {
  useLocaleChange()
  const { edit } = useEditing()
  const { id = '', check, expected = '', values = [] } = testCase ?? {}
  const changeValue = (at: number, value: string): void => {
    if (!testCase) edit((setup) => withNewCase(setup, { at, value }))
    else edit((setup) => withValue(setup, id, { at, value }), `value ${id} ${at}`)
  }
  const handlePaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData.getData('text/plain')
    // The text of a single field contains no tab and no line break in the middle.
    if (!/[\t\n]/.test(text.trim())) return
    event.preventDefault()
    onPasteTable(text)
  }
  return (
    <tr
      aria-rowindex={number + 1}
      className={joinClassNames(rowClass, 'absolute left-0 shadow-underline')}
      style={{ gridTemplateColumns: template, top: (number - 1) * rowHeight }}
    >
      <th scope="row" className={joinClassNames(cell, 'justify-center text-faint text-xs')}>
        {testCase ? number : '+'}
      </th>
      {variables.map((name, variableIndex) => (
        <td key={name} className={borderedCell}>
          <input
            className={field}
            aria-label={t('cases.value', { name, number })}
            placeholder={testCase ? undefined : variableIndex === 0 ? t('cases.ghost') : undefined}
            maxLength={limits.valueLength}
            value={values[variableIndex] ?? ''}
            onChange={(event) => changeValue(variableIndex, event.target.value)}
            onPaste={handlePaste}
          />
        </td>
      ))}
      <td className={borderedCell}>
        {testCase ? (
          <Select
            className="h-full rounded-none border-0 bg-transparent text-sm"
            aria-label={t('check.of', { number })}
            value={check ?? noCheck}
            onValueChange={(value) =>
              edit((setup) => withCheck(setup, id, { check: answerChecks.find((candidate) => candidate === value) }))
            }
            options={[
              { value: noCheck, label: t('check.none') },
              ...answerChecks.map((value) => ({
                value,
                label: t(`check.kinds.${value}`),
                hint: t(`check.hints.${value}`),
              })),
            ]}
          />
        ) : null}
      </td>
      <td className={borderedCell}>
        {testCase ? (
          <input
            className={field}
            aria-label={t('check.expectedOf', { number })}
            placeholder={check === 'json' ? t('check.noValue') : undefined}
            disabled={check === 'json'}
            maxLength={limits.valueLength}
            value={expected}
            onChange={(event) =>
              edit((setup) => withCheck(setup, id, { check, expected: event.target.value }), `expected ${id}`)
            }
          />
        ) : null}
      </td>
      <td className={joinClassNames(borderedCell, 'justify-center')}>
        {testCase ? (
          <RowButton
            icon={X}
            label={t('cases.remove', { number })}
            onPress={() => edit((setup) => ({ ...setup, cases: setup.cases.filter((other) => other.id !== id) }))}
          />
        ) : null}
      </td>
    </tr>
  )
})

function VariableHeader(props: { readonly name: string; readonly at: number; readonly isUsed: boolean }) {
  const { name, at, isUsed } = props
  const { edit } = useEditing()
  const rename = (input: HTMLInputElement): void => {
    const nextName = input.value.trim()
    edit((setup) => withRenamedVariable(setup, at, nextName))
    input.value = name
  }
  return (
    <th scope="col" className={joinClassNames(borderedCell, 'pr-0.5')}>
      <input
        key={name}
        className={joinClassNames(field, 'font-mono text-sm', isUsed ? 'text-muted' : 'text-faint line-through')}
        aria-label={t('cases.column', { name })}
        title={isUsed ? undefined : t('cases.unused')}
        maxLength={limits.nameLength}
        defaultValue={name}
        onBlur={(event) => rename(event.currentTarget)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
      />
      {isUsed ? null : (
        <RowButton
          icon={X}
          label={t('cases.removeColumn', { name })}
          onPress={() => edit((setup) => withoutVariable(setup, at))}
        />
      )}
    </th>
  )
}

/** Table with the values of variables, one row per case. The last row is always empty. Typing into it adds a case. */
export function CasesTable({ onPasteTable }: Pick<CaseRowProps, 'onPasteTable'>) {
  const setup = useSetup((currentSetup) => currentSetup)
  const { variables, cases } = setup
  const usedVariableNames = usedVariables(setup)
  const count = cases.length < limits.cases ? cases.length + 1 : cases.length
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    scrollMargin: rowHeight,
    overscan: 6,
    useFlushSync: false,
  })
  const template = `44px repeat(${variables.length}, minmax(140px, 1fr)) 132px minmax(140px, 1fr) 40px`
  return (
    <div ref={scroller} className="max-h-41.75 overflow-auto rounded-lg border bg-surface">
      <table
        className="block w-full"
        style={{ minWidth: 356 + 140 * variables.length }}
        aria-label={t('cases.title')}
        aria-rowcount={count + 1}
      >
        <thead className="sticky top-0 z-1 block bg-surface shadow-underline">
          <tr className={rowClass} style={{ gridTemplateColumns: template }}>
            <th scope="col" className={joinClassNames(cell, 'justify-center text-faint text-xs')}>
              <span className="sr-only">{t('cases.number')}</span>
            </th>
            {variables.map((name, variableIndex) => (
              <VariableHeader key={name} name={name} at={variableIndex} isUsed={usedVariableNames.includes(name)} />
            ))}
            {(['check', 'expected'] as const).map((name) => (
              <th key={name} scope="col" className={joinClassNames(borderedCell, 'px-2 text-muted text-sm')}>
                {t(`check.columns.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="relative block" style={{ height: count * rowHeight }}>
          {virtualizer.getVirtualItems().map(({ index }) => (
            <CaseRow
              key={index}
              {...{ variables, template, onPasteTable }}
              testCase={cases[index]}
              number={index + 1}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const previewRows = 5
const maxProblems = 4

function Preview({ table }: { readonly table: PastedTable }) {
  const { variables, cases } = table
  if (variables.length === 0) return null
  const shownRows = cases.slice(0, previewRows).map((pastedCase, index) => ({ ...pastedCase, index }))
  const checkColumns: readonly Column<(typeof shownRows)[number]>[] = [
    { id: 'check', header: t('check.columns.check'), cell: ({ check }) => check && t(`check.kinds.${check}`) },
    { id: 'expected', header: t('check.columns.expected'), cell: ({ expected }) => expected?.slice(0, 200) },
  ]
  return (
    <>
      <div className="max-h-47.5 overflow-auto">
        <Table
          caption={t('paste.preview')}
          rows={shownRows}
          rowKey={({ index }) => index}
          columns={[
            ...variables.map((name, column) => ({
              id: `${name}-${column}`,
              header: name,
              cell: ({ values }: (typeof shownRows)[number]) => values[column]?.slice(0, 200),
            })),
            ...(cases.some(({ check }) => check !== undefined) ? checkColumns : []),
          ]}
        />
      </div>
      <Hint role="status">
        {t('paste.found', { count: cases.length, variables: t('paste.variables', { count: variables.length }) })}
        {cases.length > previewRows ? ` ${t('paste.firstShown', { count: previewRows })}` : ''}
      </Hint>
    </>
  )
}

const maxFileBytes = 50_000_000

/** Adds or replaces test cases. `text`: initial text, which the user has pasted into the table. */
export function PasteDialog({ text: pasted, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const { edit } = useEditing()
  const [text, setText] = useState(pasted)
  const [hasHead, setHasHead] = useState(true)
  const setup = useSetup((currentSetup) => currentSetup)
  const { variables, cases } = setup
  const hasCases = cases.length > 0
  const table = useMemo(
    () => parsePastedTable(text, hasHead ? undefined : setup.variables, usedVariables(setup)),
    [text, hasHead, setup],
  )
  const applyPaste = (mode: 'replace' | 'append'): void => {
    edit((currentSetup) => applyPastedTable(currentSetup, table, mode))
    onClose()
  }
  const hasProblems = table.problems.length > 0
  return (
    <Dialog
      onClose={onClose}
      title={t('paste.title')}
      description={t('paste.text')}
      footer={[
        <span key="file" className="mr-auto">
          <FilePicker
            label={t('paste.file')}
            accept=".csv,.tsv,.txt"
            onFiles={([file]) => {
              if (file && file.size <= maxFileBytes) void file.text().then(setText)
            }}
          >
            {(open) => (
              <Button icon={FileUp} onClick={open}>
                {t('paste.file')}
              </Button>
            )}
          </FilePicker>
        </span>,
        hasCases && { label: t('paste.append'), disabled: hasProblems, onClick: () => applyPaste('append') },
        {
          label: t(hasCases ? 'paste.replace' : 'paste.take', { count: table.cases.length }),
          variant: 'primary',
          icon: ClipboardPaste,
          disabled: hasProblems,
          onClick: () => applyPaste('replace'),
        },
      ]}
    >
      <div className="flex flex-col gap-3">
        <TextAreaField
          label={t('paste.label')}
          mono
          className="min-h-27.5 whitespace-pre"
          autoFocus
          value={text}
          placeholder={t('paste.placeholder')}
          onChange={setText}
        />
        {variables.length > 0 ? (
          <Switch label={t('paste.head')} hint={t('paste.headHint')} checked={hasHead} onCheckedChange={setHasHead} />
        ) : null}
        {hasProblems && text.trim() !== '' ? (
          <Callout tone="danger" title={t('paste.cannot')}>
            <ul className="flex flex-col gap-0.5">
              {table.problems.slice(0, maxProblems).map(({ kind, row }) => (
                <li key={`${kind} ${row ?? ''}`}>
                  {t(`paste.problems.${kind}`, { row, columns: limits.variables, rows: limits.cases })}
                </li>
              ))}
            </ul>
          </Callout>
        ) : null}
        <Preview table={table} />
      </div>
    </Dialog>
  )
}
