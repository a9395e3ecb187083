import type { ConnectionView } from '@shared/contract'
import { ChevronDown, CircleAlert, CircleCheck, CircleDashed, CircleDot, CircleMinus } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { RelativeTime } from '../../relative-time'
import { Button, ButtonLink } from '../../ui/button'
import { Spinner } from '../../ui/spinner'
import { type Part, partName, partsSetUp } from './parts'
import { editPath } from './paths'
import { TestFailure } from './test-failure'
import { cancelTest, failureIn, type PartTest, startTest } from './tests'
import styles from './tests.module.css'

interface TestRowProps {
  readonly part: Part
  readonly connection: ConnectionView
  readonly test: PartTest | undefined
  readonly isOpen: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onPaste: () => void
}

const size = { size: 16, strokeWidth: 1.9, 'aria-hidden': true } as const

function Mark({ test, isSetUp }: { readonly test: PartTest | undefined; readonly isSetUp: boolean }) {
  if (!isSetUp) return <CircleMinus {...size} className={styles.faint} />
  if (!test) return <CircleDashed {...size} className={styles.faint} />
  if (test.state === 'testing') return <Spinner size={16} />
  if (failureIn(test)) return <CircleAlert {...size} className={styles.bad} />
  const isUsed = test.state === 'done' && test.outcome.ok && test.outcome.proven === 'used'
  return isUsed ? <CircleCheck {...size} className={styles.good} /> : <CircleDot {...size} className={styles.there} />
}

type WordsProps = Pick<TestRowProps, 'part' | 'test' | 'isOpen'> & { readonly isSetUp: boolean }

/** What is known of the part, in words; why it fails stands below when that is open. */
function Words({ part, test, isSetUp, isOpen }: WordsProps) {
  const { t } = useTranslation('connections')
  const { duration } = useFormats()
  const explain = useFailureWords()
  if (!isSetUp) return <span className={styles.faint}>{t('test.notSetUp')}</span>
  if (!test) return <span className={styles.faint}>{t('test.notTested')}</span>
  if (test.state === 'testing') return t('test.testing')
  const failure = failureIn(test)
  if (failure && isOpen) return <span className={styles.bad}>{t('test.fails')}</span>
  if (failure) return <span className={styles.bad}>{t('test.failed', { title: explain(failure).title })}</span>
  if (test.state !== 'done' || !test.outcome.ok) return null
  const { proven, durationMs, at } = test.outcome
  const isToken = part.part === 'token' && proven === 'reached'
  return (
    <span className={styles.outcome}>
      <span className={proven === 'used' ? styles.good : styles.there}>
        {isToken ? t('test.tokenThere') : t(`test.${proven}`, { time: duration(durationMs) })}
      </span>
      <span className={styles.when}>
        <RelativeTime at={at} />
      </span>
      {proven === 'reached' ? (
        <span className={styles.meaning}>
          {t(isToken ? 'test.tokenMeans' : part.part === 'gateway' ? 'test.reachedGateway' : 'test.reachedMeans')}
        </span>
      ) : null}
    </span>
  )
}

/** What stands under the name: the address, or how tokens come. */
function Where({ part, connection }: { readonly part: Part; readonly connection: ConnectionView }) {
  const { t } = useTranslation('connections')
  const { addresses, tokenSource } = connection
  const address = part.address && addresses[part.address]
  if (address) {
    return (
      <span className={styles.where}>
        <code className={styles.address} title={address}>
          {address}
        </code>
        <CopyText text={address} label={t('show.copy', { name: partName(part, t) })} />
      </span>
    )
  }
  if (part.address) return <span className={styles.hint}>{t(`addresses.${part.address}.hint`)}</span>
  return <span className={styles.hint}>{t(`sources.${tokenSource?.kind ?? 'none'}`)}</span>
}

interface ActionProps extends TestRowProps {
  readonly isSetUp: boolean
  readonly detailsId: string
}

/** The one thing to do next with the part. */
function Actions({ part, connection, test, isSetUp, isOpen, onOpenChange, detailsId }: ActionProps) {
  const { t } = useTranslation('connections')
  const name = partName(part, t)
  const { id, isBuiltIn } = connection
  if (!isSetUp) {
    return isBuiltIn ? null : (
      <ButtonLink
        size="sm"
        variant="ghost"
        to={editPath(id, part.address ?? 'signIn')}
        aria-label={t('test.setUpNamed', { name })}
      >
        {t('test.setUp')}
      </ButtonLink>
    )
  }
  if (test?.state === 'testing') {
    return (
      <Button
        size="sm"
        variant="ghost"
        aria-label={t('test.cancelNamed', { name })}
        onClick={() => cancelTest(id, part.part)}
      >
        {t('test.cancel')}
      </Button>
    )
  }
  return (
    <>
      {failureIn(test) ? (
        <Button
          size="sm"
          variant="ghost"
          icon={ChevronDown}
          className={isOpen ? styles.turned : undefined}
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          aria-label={t('test.explainNamed', { name })}
          onClick={() => onOpenChange(!isOpen)}
        >
          {t('test.explain')}
        </Button>
      ) : null}
      <Button size="sm" aria-label={t('test.testNamed', { name })} onClick={() => void startTest(id, part.part)}>
        {t('test.test')}
      </Button>
    </>
  )
}

/** One part of a connection: its address, what its test gave, and what can be done. */
export function TestRow(props: TestRowProps) {
  const { part, connection, test, isOpen, onPaste } = props
  const { t } = useTranslation('connections')
  const id = useId()
  const isSetUp = partsSetUp(connection).includes(part)
  const details: ReactNode =
    test && isOpen && failureIn(test) ? (
      <div id={`${id}-details`} className={styles.details}>
        <TestFailure part={part} connection={connection} test={test} onPaste={onPaste} />
      </div>
    ) : null
  return (
    <li className={styles.row}>
      <span className={styles.mark}>
        <Mark test={test} isSetUp={isSetUp} />
      </span>
      <div className={styles.what}>
        <p className={styles.name}>{partName(part, t)}</p>
        <Where part={part} connection={connection} />
      </div>
      <div className={styles.words}>
        <Words part={part} test={test} isSetUp={isSetUp} isOpen={isOpen} />
      </div>
      <div className={styles.actions}>
        <Actions {...props} isSetUp={isSetUp} detailsId={`${id}-details`} />
      </div>
      {details}
    </li>
  )
}
