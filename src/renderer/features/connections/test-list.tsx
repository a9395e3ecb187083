import type { ConnectionView } from '@shared/contract'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Section } from '../../ui/page'
import { ProgressBar } from '../../ui/spinner'
import { type Part, parts, partsSetUp } from './parts'
import { TestRow } from './test-row'
import { cancelTest, countTests, failureIn, type PartTests, startTest, useTestsOf } from './tests'
import styles from './tests.module.css'

interface TestListProps {
  readonly connection: ConnectionView
  readonly onPaste: () => void
}

/** Begins all tests when the address of the page asks for it, once for each time it asks. */
function useTestOnArrival(begin: () => void): void {
  const [search, setSearch] = useSearchParams()
  const isAsked = search.has('test')
  const latest = useRef(begin)
  useEffect(() => {
    latest.current = begin
  })
  useEffect(() => {
    if (!isAsked) return
    setSearch((before) => [...before].filter(([name]) => name !== 'test'), { replace: true })
    latest.current()
  }, [isAsked, setSearch])
}

interface StateProps {
  readonly ready: readonly Part[]
  readonly tests: PartTests
}

/** How far the tests are, or what they gave once all have ended. */
function TestState({ ready, tests }: StateProps) {
  const { t } = useTranslation('connections')
  const { count, testing, done, failed } = countTests(ready, tests)
  if (testing > 0) {
    return (
      <div className={styles.progress}>
        <span className="tabular">{t('test.progress', { done, count })}</span>
        <ProgressBar value={done / count} label={t('show.status')} />
      </div>
    )
  }
  if (count === 0 || done < count) return null
  if (failed > 0) return <StatusDot tone="danger" label={t('test.summaryBad', { failed, count })} />
  return <StatusDot tone="success" label={t('test.summaryGood', { count })} />
}

/** Which of the rows stand open: the first of each kind of failure, until a person decides otherwise. */
function useOpenRows(tests: PartTests) {
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({})
  const seen = new Set<string>()
  const first = parts.flatMap(({ part }) => {
    const code = failureIn(tests[part])?.code
    if (code === undefined || seen.has(code)) return []
    seen.add(code)
    return [part]
  })
  return {
    isOpen: ({ part }: Part): boolean => chosen[part] ?? first.includes(part),
    setOpen: ({ part }: Part, open: boolean): void => setChosen((before) => ({ ...before, [part]: open })),
  }
}

/** The parts of a connection, each with its address and its test; all can be tested side by side. */
export function TestList({ connection, onPaste }: TestListProps) {
  const { t } = useTranslation('connections')
  const { id } = connection
  const tests = useTestsOf(id)
  const ready = partsSetUp(connection)
  const { isOpen, setOpen } = useOpenRows(tests)
  const testing = ready.filter(({ part }) => tests[part]?.state === 'testing')
  const begin = (): void => {
    for (const { part } of ready) void startTest(id, part)
  }
  const cancel = (): void => {
    for (const { part } of testing) cancelTest(id, part)
  }
  useTestOnArrival(begin)
  return (
    <Section
      title={t('show.services')}
      description={ready.length === 0 ? t('test.nothing') : t('show.servicesHint')}
      actions={
        <>
          <div role="status" className={styles.state}>
            <TestState ready={ready} tests={tests} />
          </div>
          {testing.length > 0 ? (
            <Button onClick={cancel}>{t('test.cancelAll')}</Button>
          ) : (
            <Button disabled={ready.length === 0} onClick={begin}>
              {t('testAll')}
            </Button>
          )}
        </>
      }
    >
      <ul className={styles.list} aria-label={t('show.services')}>
        {parts.map((part) => (
          <TestRow
            key={part.part}
            part={part}
            connection={connection}
            test={tests[part.part]}
            isOpen={isOpen(part)}
            onOpenChange={(open) => setOpen(part, open)}
            onPaste={onPaste}
          />
        ))}
      </ul>
    </Section>
  )
}
