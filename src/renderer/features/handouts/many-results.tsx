import type { HandoutResult } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useFailureWords } from '../../i18n/failures'
import { StatusDot, type Tone } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { Section } from '../../ui/page'
import { Facts, Row, Rows } from '../../ui/rows'
import styles from './handouts.module.css'
import { HolderMark } from './holder-mark'
import { PassphraseButtons } from './passphrase-buttons'
import { resultFailure } from './result-failure'

const tones: Record<HandoutResult['state'], Tone> = { written: 'success', cancelled: 'neutral', failed: 'danger' }

function ResultRow({ result }: { readonly result: HandoutResult }) {
  const { t } = useTranslation('handouts')
  const explain = useFailureWords()
  const { holder, keyName, path, state } = result
  const failure = resultFailure(result)
  return (
    <Row
      leading={<HolderMark holder={holder} />}
      title={holder.name}
      description={
        <>
          <Facts
            items={[
              keyName,
              path !== undefined && (
                <Code key="path" quiet>
                  {path}
                </Code>
              ),
            ]}
          />
          {failure ? (
            <p className={styles.problem}>
              {explain(failure).title}. {explain(failure).remedy}
            </p>
          ) : null}
        </>
      }
      trailing={
        <>
          <StatusDot tone={tones[state]} label={t(`many.states.${state}`)} />
          {state === 'written' ? <PassphraseButtons result={result} isCompact /> : null}
          {path === undefined ? null : <CopyText text={path} label={t('result.copyPath')} />}
        </>
      }
    />
  )
}

/** How each hand-out went. */
export function ManyResults({ results }: { readonly results: readonly HandoutResult[] }) {
  const { t } = useTranslation('handouts')
  if (results.length === 0) return null
  const done = results.filter(({ state }) => state === 'written').length
  const count = results.length
  return (
    <Section title={t('many.results')}>
      {done === count ? (
        <Callout tone="success" title={t('many.allDone', { count })}>
          {t('many.allDoneText')}
        </Callout>
      ) : (
        <p className={styles.hint} role="status">
          {t('many.done', { done, count })}
        </p>
      )}
      <Rows label={t('many.results')}>
        {results.map((result) => (
          <ResultRow key={`${result.holder.kind} ${result.holder.name}`} result={result} />
        ))}
      </Rows>
    </Section>
  )
}
