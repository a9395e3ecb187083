import type { ContainerCheck } from '@shared/contract'
import { CircleCheck, CircleHelp, CircleX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Card, Section } from '../../ui/page'
import { Facts } from '../../ui/rows'
import styles from './containers.module.css'

type Finding = ContainerCheck['findings'][number]

const looks = {
  passed: { icon: CircleCheck, tone: 'success' },
  failed: { icon: CircleX, tone: 'danger' },
  unknown: { icon: CircleHelp, tone: 'warning' },
} as const

/** One question: what was seen, and what to do when the answer was not a yes. */
function FindingRow({ finding: { what, state, seen } }: { readonly finding: Finding }) {
  const { t } = useTranslation('runtimes')
  const { icon, tone } = looks[state]
  return (
    <li className={styles.finding}>
      <Badge tone={tone} icon={icon}>
        {t(`check.states.${state}`)}
      </Badge>
      <div className={styles.words}>
        <p className={styles.what}>{t(`check.what.${what}`)}</p>
        <p className={styles.seen} lang="en">
          {seen}
        </p>
        {state === 'passed' ? null : <p>{t(`check.todo.${what}`)}</p>}
      </div>
    </li>
  )
}

function Verdict({ check }: { readonly check: ContainerCheck }) {
  const { t } = useTranslation('runtimes')
  const { duration } = useFormats()
  const count = (wanted: Finding['state']): number => check.findings.filter(({ state }) => state === wanted).length
  return (
    <Facts
      items={[
        check.url,
        count('failed') > 0 && t('check.failedCount', { count: count('failed') }),
        count('unknown') > 0 && t('check.unknownCount', { count: count('unknown') }),
        t('check.passedCount', { count: count('passed') }),
        duration(check.durationMs),
        <RelativeTime key="at" at={check.at} />,
      ]}
    />
  )
}

function Sample({ sample }: { readonly sample: NonNullable<ContainerCheck['sample']> }) {
  const { t } = useTranslation('runtimes')
  const { path, headers, status, answer } = sample
  const sent = [`POST ${path}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')
  return (
    <Section title={t('check.sample')} description={t('check.sampleText')}>
      <Card>
        <div className={styles.exchange}>
          <div>
            <h3 className={styles.side}>{t('check.sent')}</h3>
            <pre>{sent}</pre>
          </div>
          <div>
            <h3 className={styles.side}>
              {status === undefined ? t('check.noAnswer') : t('check.answered', { status })}
            </h3>
            <pre>{answer === '' ? t('check.emptyAnswer') : answer}</pre>
          </div>
        </div>
      </Card>
    </Section>
  )
}

/** What a check found, question by question, and what was sent and answered. */
export function Findings({ check }: { readonly check: ContainerCheck }) {
  const { t } = useTranslation('runtimes')
  return (
    <>
      <Section title={t('check.findings')} description={<Verdict check={check} />}>
        <ul className={styles.findings} aria-label={t('check.findings')}>
          {check.findings.map((finding) => (
            <FindingRow key={finding.what} finding={finding} />
          ))}
        </ul>
      </Section>
      {check.sample ? <Sample sample={check.sample} /> : null}
    </>
  )
}
