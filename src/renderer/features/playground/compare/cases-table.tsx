import type { ComparisonCase } from '@shared/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import { X } from 'lucide-react'
import { type ClipboardEvent, memo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { RowButton } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Select } from '../../../ui/select'
import { useEditing, useSetup } from './editing'
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

const rowHeight = 33

const rowClass = 'grid h-8.25 w-full'
const cell = 'flex min-w-0 items-center font-normal'
const field = 'size-full min-w-0 text-ellipsis px-2 focus-visible:rounded-sm focus-visible:-outline-offset-2'

interface ValuesProps {
  readonly variables: readonly string[]
  readonly testCase: ComparisonCase | undefined
  readonly number: number
  readonly onPasteTable: (text: string) => void
}

/** Row with the variable values of a case. Typing into the empty last row creates a case. */
const CaseValuesRow = memo(function CaseValuesRow({ variables, testCase, number, onPasteTable }: ValuesProps) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const change = (at: number, value: string): void => {
    if (!testCase) edit((setup) => withNewCase(setup, { at, value }))
    else edit((setup) => withValue(setup, testCase.id, { at, value }), `value ${testCase.id} ${at}`)
  }
  const handlePaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData.getData('text/plain')
    // The text of a single field contains no tab and no line break in the middle.
    if (!/[\t\n]/.test(text.trim())) return
    event.preventDefault()
    onPasteTable(text)
  }
  return variables.map((name, variableIndex) => (
    <td key={name} className={joinClassNames(cell, 'border-l')}>
      <input
        className={field}
        aria-label={t('cases.value', { name, number })}
        placeholder={testCase ? undefined : variableIndex === 0 ? t('cases.ghost') : undefined}
        maxLength={limits.valueLength}
        value={testCase?.values[variableIndex] ?? ''}
        onChange={(event) => change(variableIndex, event.target.value)}
        onPaste={handlePaste}
      />
    </td>
  ))
})

const noCheck = 'none'

const CaseCheck = memo(function CaseCheck({ testCase, number }: { testCase: ComparisonCase; number: number }) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const { id, check, expected = '' } = testCase
  return (
    <>
      <td className={joinClassNames(cell, 'border-l')}>
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
      </td>
      <td className={joinClassNames(cell, 'border-l')}>
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
      </td>
    </>
  )
})

function VariableHeader(props: { readonly name: string; readonly at: number; readonly isUsed: boolean }) {
  const { name, at, isUsed } = props
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const rename = (input: HTMLInputElement): void => {
    const nextName = input.value.trim()
    edit((setup) => withRenamedVariable(setup, at, nextName))
    input.value = name
  }
  return (
    <th scope="col" className={joinClassNames(cell, 'border-l pr-0.5')}>
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
export function CasesTable({ onPasteTable }: Pick<ValuesProps, 'onPasteTable'>) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
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
              <th key={name} scope="col" className={joinClassNames(cell, 'border-l px-2 text-muted text-sm')}>
                {t(`check.columns.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="relative block" style={{ height: count * rowHeight }}>
          {virtualizer.getVirtualItems().map(({ index }) => {
            const testCase = cases[index]
            return (
              <tr
                key={index}
                aria-rowindex={index + 2}
                className={joinClassNames(rowClass, 'absolute left-0 shadow-underline')}
                style={{ gridTemplateColumns: template, top: index * rowHeight }}
              >
                <th scope="row" className={joinClassNames(cell, 'justify-center text-faint text-xs')}>
                  {testCase ? index + 1 : '+'}
                </th>
                <CaseValuesRow {...{ variables, testCase, onPasteTable }} number={index + 1} />
                {testCase ? (
                  <CaseCheck testCase={testCase} number={index + 1} />
                ) : (
                  <>
                    <td className={joinClassNames(cell, 'border-l')} />
                    <td className={joinClassNames(cell, 'border-l')} />
                  </>
                )}
                <td className={joinClassNames(cell, 'justify-center border-l')}>
                  {testCase ? (
                    <RowButton
                      icon={X}
                      label={t('cases.remove', { number: index + 1 })}
                      onPress={() =>
                        edit((setup) => ({ ...setup, cases: setup.cases.filter(({ id }) => id !== testCase.id) }))
                      }
                    />
                  ) : null}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
