import type { UsageShare, UsageSplit } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { Card, Section } from '../../ui/page'
import { Segmented } from '../../ui/radio-cards'
import { SkeletonRows } from '../../ui/skeleton'
import { requestsPath } from './paths'
import { tokensOf } from './points'
import { shareOf, sharesTotal, wantedOf } from './share-rows'
import styles from './shares.module.css'
import { useModelColour } from './use-hues'
import { useShareNames } from './use-share-names'
import type { Usage } from './use-usage'
import { splits } from './wanted'

/** As many digits in every row, so that they stand beneath each other. */
const tenthsOfPercent = { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 } as const
/** How many rows stand here at first. */
const firstRows = 8

interface RowsProps {
  readonly usage: Usage
  readonly by: UsageSplit
  readonly shares: readonly UsageShare[]
}

function Row({ usage, by, share, total }: Omit<RowsProps, 'shares'> & { share: UsageShare; total: number }) {
  const { t } = useTranslation('usage')
  const { count, number, locale } = useFormats()
  const name = useShareNames()(by, share)
  const colourOf = useModelColour()
  const part = shareOf(by, share, total)
  const colour = by === 'model' ? colourOf(share.id) : by === 'error' ? 'var(--chart-errors)' : 'var(--series-1)'
  const percent = new Intl.NumberFormat(locale, tenthsOfPercent).format(part)
  const to = wantedOf(by, share)
  const figures = [tokensOf(share), share.requests, share.errors]
  return (
    <tr>
      <th scope="row" className={styles.name}>
        {to && usage.scope !== 'console' ? (
          <Link to={requestsPath({ ...usage.wanted, ...to })} title={t('shares.open', { name })}>
            {name}
          </Link>
        ) : (
          <span title={name}>{name}</span>
        )}
      </th>
      <td className={styles.part}>
        <span className={styles.bar} aria-hidden="true">
          <span style={{ width: `${part > 0 ? Math.max(part * 100, 0.6) : 0}%`, background: colour }} />
        </span>
        <span className={styles.percent}>{percent}</span>
      </td>
      {figures.map((figure, at) => (
        <td key={`figure-${String(at)}`} className={styles.figure} title={number(figure)}>
          <span aria-hidden="true">{count(figure).short}</span>
          <span className="sr-only">{number(figure)}</span>
        </td>
      ))}
    </tr>
  )
}

function Rows({ usage, by, shares }: RowsProps) {
  const { t } = useTranslation('usage')
  const [isWhole, setIsWhole] = useState(false)
  const total = sharesTotal(by, shares)
  const shown = isWhole ? shares : shares.slice(0, firstRows)
  if (shares.length === 0) {
    return (
      <Card>
        <p className={styles.quiet}>{t('shares.none')}</p>
      </Card>
    )
  }
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className="sr-only">{`${t('shares.by')}: ${t(`shares.splits.${by}`)}`}</caption>
        <thead>
          <tr>
            <th scope="col" className={styles.wide}>
              {t(`shares.splits.${by}`)}
            </th>
            <th scope="col">{t(by === 'error' ? 'shares.ofErrors' : 'shares.ofTokens')}</th>
            {(['tokens', 'requests', 'errors'] as const).map((column) => (
              <th key={column} scope="col" className={styles.figure}>
                {t(`shares.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((share) => (
            <Row key={share.id} usage={usage} by={by} share={share} total={total} />
          ))}
        </tbody>
      </table>
      {shares.length > shown.length ? (
        <Button variant="ghost" size="sm" className={styles.more} onClick={() => setIsWhole(true)}>
          {t('shares.all', { count: shares.length - shown.length })}
        </Button>
      ) : null}
    </div>
  )
}

/** Who took how much: by model, tool, key, plan, source or error, each leading to its requests. */
export function Shares({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { wanted, change, filter, scope, cannotAsk } = usage
  const isConsole = scope === 'console'
  const by = isConsole ? 'model' : wanted.by
  const query = useCall('usage.shares', { filter, by }, { enabled: cannotAsk === undefined })
  const choose = (value: string): void => {
    const split = splits.find((one) => one === value)
    if (split) change({ by: split })
  }
  return (
    <Section
      title={t('shares.title')}
      description={isConsole ? t('shares.onlyModel') : undefined}
      actions={
        isConsole ? null : (
          <Segmented
            label={t('shares.by')}
            value={by}
            onValueChange={choose}
            segments={splits.map((value) => ({ value, label: t(`shares.splits.${value}`) }))}
          />
        )
      }
    >
      <Loaded query={query} skeleton={<SkeletonRows rows={3} />}>
        {(shares) => <Rows key={by} usage={usage} by={by} shares={shares} />}
      </Loaded>
    </Section>
  )
}
