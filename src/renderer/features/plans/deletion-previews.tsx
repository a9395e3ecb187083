import type { DeletionPreview } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import styles from './deletion.module.css'

function Preview({ preview }: { readonly preview: DeletionPreview }) {
  const { t } = useTranslation('plans')
  const { money, locale } = useFormats()
  const { name, keys, tools, estimatedRefund } = preview
  const named = (names: readonly string[]): string => new Intl.ListFormat(locale).format(names)
  return (
    <li className={styles.plan}>
      <div className={styles.head}>
        <span className={styles.name}>{name}</span>
        <span className={styles.amount}>≈ {money(estimatedRefund)}</span>
      </div>
      <p className={styles.stops}>
        {keys.length === 0
          ? t('account.deletion.noKeys')
          : t('account.deletion.keys', { count: keys.length, names: named(keys) })}
      </p>
      {tools.length === 0 ? (
        <p className={styles.quiet}>{t('account.deletion.noTools')}</p>
      ) : (
        <p className={styles.tools}>{t('account.deletion.tools', { names: named(tools) })}</p>
      )}
    </li>
  )
}

/** What deleting would stop, plan by plan, and what may come back: an estimate, and named so. */
export function DeletionPreviews({ previews }: { readonly previews: readonly DeletionPreview[] }) {
  const { t } = useTranslation('plans')
  const { money } = useFormats()
  const total = previews.reduce((sum, { estimatedRefund }) => sum + estimatedRefund, 0)
  return (
    <>
      <ul className={styles.plans} aria-label={t('account.deletion.stops')}>
        {previews.map((preview) => (
          <Preview key={preview.planId} preview={preview} />
        ))}
      </ul>
      <div className={styles.refund}>
        <p className={styles.head}>
          <span>{t('account.deletion.refund')}</span>
          <b className={styles.amount}>≈ {money(total)}</b>
        </p>
        <p className={styles.quiet}>
          {t('account.deletion.refundHint')} {t('account.deletion.history')}
        </p>
      </div>
    </>
  )
}
