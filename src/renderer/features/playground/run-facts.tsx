import type { PlaygroundRun } from '@shared/contract'
import { memo, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { type Formats, useFormats } from '../../format'
import { StatusDot, type Tone } from '../../ui/badge'
import { Facts } from '../../ui/rows'
import { isUnderWay } from './run-entries'
import styles from './run-facts.module.css'

const tones: Readonly<Record<PlaygroundRun['state'], Tone>> = {
  waiting: 'neutral',
  running: 'accent',
  done: 'success',
  stopped: 'warning',
  cut: 'warning',
  failed: 'danger',
}

function useTokenFacts(run: PlaygroundRun, { number }: Formats): readonly (ReactNode | undefined)[] {
  const { t } = useTranslation('playground')
  const names = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const
  return names.map((name) => {
    const tokens = run[name]
    const isDull = tokens === undefined || (tokens === 0 && name.startsWith('cache'))
    return isDull ? undefined : t(`facts.${name}`, { count: tokens, amount: number(tokens) })
  })
}

/** A share of what is left; a very small one is not shown as nothing. */
function shareText(share: number, locale: string): string {
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: share < 0.01 ? 2 : 1 })
  return share > 0 && share < 0.0001 ? `< ${percent.format(0.0001)}` : percent.format(share)
}

function useTimeFacts(run: PlaygroundRun, { duration, locale }: Formats): readonly (ReactNode | undefined)[] {
  const { t } = useTranslation('playground')
  const { firstTokenMs, durationMs, tokensPerSecond } = run
  const rate = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  return [
    firstTokenMs === undefined ? undefined : t('facts.firstToken', { time: duration(firstTokenMs) }),
    durationMs === undefined ? undefined : t('facts.duration', { time: duration(durationMs) }),
    tokensPerSecond === undefined ? undefined : t('facts.rate', { rate: rate.format(tokensPerSecond) }),
  ]
}

/** What is known of a run in one quiet line: status, times, tokens, share of the allowance, request id. */
export const RunFacts = memo(({ run }: { readonly run: PlaygroundRun }) => {
  const { t } = useTranslation('playground')
  const formats = useFormats()
  const tokens = useTokenFacts(run, formats)
  const times = useTimeFacts(run, formats)
  const { state, status, requestId, allowanceShare, finishReason } = run
  return (
    <div className={styles.facts}>
      <Facts
        items={[
          <StatusDot
            key="state"
            tone={tones[state]}
            pulse={isUnderWay(run)}
            label={status === undefined ? t(`states.${state}`) : `${t(`states.${state}`)} · ${status}`}
          />,
          ...times,
          ...tokens,
          allowanceShare === undefined ? undefined : (
            <span key="share" title={t('facts.shareHint')}>
              {t('facts.share', { share: shareText(allowanceShare, formats.locale) })}
            </span>
          ),
          finishReason === undefined || state !== 'done' ? undefined : (
            <span key="finish" title={t('facts.finishHint')}>
              <code>{finishReason}</code>
            </span>
          ),
          requestId === undefined ? undefined : (
            <span key="id" className={styles.id} title={t('facts.requestId', { id: requestId })}>
              <code>{requestId}</code>
              <CopyText text={requestId} label={t('facts.copyRequestId')} />
            </span>
          ),
        ]}
      />
    </div>
  )
})
