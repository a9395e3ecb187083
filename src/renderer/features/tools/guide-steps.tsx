import type { GuideView, PlanView } from '@shared/contract'
import { ChevronRight } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Code } from '../../ui/code'
import { CopyKeyButton } from './copy-key-button'
import styles from './guide.module.css'
import { RequestAddress } from './request-address'
import type { ToolHere } from './sites'

interface GuideStepsProps {
  readonly tool: ToolHere
  readonly guide: GuideView
  readonly plan: PlanView
  readonly keyId: string | undefined
  /** The values on the screen are not (or not yet) those of the present choice. */
  readonly isOld: boolean
  /** The check, as the last step. */
  readonly children: ReactNode
}

function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <li className={styles.step}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </li>
  )
}

function Fields({ guide, plan, keyId }: Pick<GuideStepsProps, 'guide' | 'plan' | 'keyId'>) {
  const { t } = useTranslation('tools')
  const masked = plan.keys.find(({ id }) => id === keyId)?.masked
  return (
    <table className={styles.fields} aria-label={t('guide.fields')}>
      <thead className="sr-only">
        <tr>
          <th scope="col">{t('guide.field')}</th>
          <th scope="col">{t('guide.value')}</th>
          <th scope="col">{t('guide.copy')}</th>
        </tr>
      </thead>
      <tbody>
        {guide.fields.map(({ label, value }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>
              <Code quiet wrap>
                {value ?? masked ?? '–'}
              </Code>
            </td>
            <td className={styles.copy}>
              {value !== undefined ? (
                <CopyText text={value} label={t('guide.copyField', { field: label })} />
              ) : keyId === undefined ? null : (
                <CopyKeyButton planId={plan.id} keyId={keyId} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Where to go in the tool's own window, what to enter there, what it will call then, and whether that works. */
export function GuideSteps({ tool, guide, plan, keyId, isOld, children }: GuideStepsProps) {
  const { t } = useTranslation('tools')
  return (
    <ol className={isOld ? styles.old : styles.steps} aria-busy={isOld}>
      <Step title={t('guide.open', { tool: tool.name })}>
        <p className={styles.place}>
          {guide.place.map((part, at) => (
            <Fragment key={part}>
              {at > 0 ? <ChevronRight size={13} strokeWidth={2} aria-hidden="true" /> : null}
              <span className={styles.part}>{part}</span>
            </Fragment>
          ))}
        </p>
      </Step>
      <Step title={t('guide.enter')}>
        <Fields guide={guide} plan={plan} keyId={keyId} />
      </Step>
      <Step title={t('guide.save')}>
        <RequestAddress tool={tool.name} requestAddress={guide.requestAddress} />
      </Step>
      <Step title={t('guide.checkTitle')}>
        <p className={styles.note}>{t('guide.checkHint', { tool: tool.name })}</p>
        {children}
      </Step>
    </ol>
  )
}
