import type { KitContent } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { RelativeTime, useNow } from '../../relative-time'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { KeyValue } from '../../ui/key-value'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { useToolNames } from '../plans/use-tool-names'
import styles from './handouts.module.css'
import type { OpenKit } from './use-open-kit'

/** Who and what, in full, before anything happens. */
function Content({ content }: { readonly content: KitContent }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const { number } = useFormats()
  const tools = useToolNames(content.toolIds)
  const { from, holder, purpose, planName, gatewayUrl, models, contextTokens, expiresAt, keyName, maskedKey } = content
  return (
    <Card>
      <KeyValue
        items={[
          { label: t('from'), value: <strong>{from}</strong> },
          { label: t('holder'), value: holder.name },
          ...(purpose === undefined ? [] : [{ label: t('purpose'), value: purpose }]),
          { label: t('plan'), value: planName },
          {
            label: t('gateway'),
            value: (
              <Code quiet wrap>
                {gatewayUrl}
              </Code>
            ),
          },
          {
            label: t('models'),
            value: (
              <span className={styles.codes}>
                {models.map((code) => (
                  <Code key={code}>{code}</Code>
                ))}
              </span>
            ),
          },
          { label: t('context'), value: t('contextTokens', { amount: number(contextTokens) }) },
          { label: t('expires'), value: expiresAt === undefined ? t('noExpiry') : <RelativeTime at={expiresAt} /> },
          {
            label: t('key'),
            value: (
              <>
                {keyName} <Code quiet>{maskedKey}</Code>
              </>
            ),
          },
          { label: t('tools'), value: tools.length === 0 ? t('toolsNone') : tools.join(', ') },
          { label: t('made'), value: <RelativeTime at={content.createdAt} /> },
        ]}
      />
    </Card>
  )
}

/** A kit that was opened: what is in it, and the press that keeps it. */
export function OpenedKit({ content, state }: { readonly content: KitContent; readonly state: OpenKit }) {
  const { t } = useTranslation(['handouts', 'common'])
  const { relative } = useFormats()
  const now = useNow()
  const { accepting, accept, cancel } = state
  const { expiresAt } = content
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()
  return (
    <Section title={t('handouts:open.content')}>
      <Content content={content} />
      {isOver ? (
        <Callout tone="warning" title={t('handouts:open.expired')}>
          {t('handouts:open.expiredText', { when: relative(expiresAt, now).short })}
        </Callout>
      ) : null}
      <p className={styles.hint}>{t('handouts:open.check')}</p>
      {accepting.error ? <ExplainedFailure failure={accepting.error.failure} handlers={{ tryAgain: accept }} /> : null}
      <div className={styles.foot}>
        <p className={styles.why}>{t('handouts:open.nothingYet')}</p>
        <Button onClick={cancel}>{t('common:cancel')}</Button>
        <Button variant="primary" autoFocus busy={accepting.isPending} onClick={accept}>
          {t('handouts:open.accept')}
        </Button>
      </div>
    </Section>
  )
}
