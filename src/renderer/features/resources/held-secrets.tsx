import type { HeldSecret, KeptSecret } from '@shared/contract'
import { KeyRound, ShieldCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Code } from '../../ui/code'
import styles from './resources.module.css'
import { SecretButtons, type SecretButtonsProps } from './secret-buttons'

interface HeldSecretsProps extends Pick<SecretButtonsProps, 'connectionId' | 'keepAs'> {
  readonly secrets: readonly HeldSecret[]
  /** More that can be done with one. */
  readonly actions?: (secret: HeldSecret) => ReactNode
  readonly onKept?: ((kept: KeptSecret) => void) | undefined
}

const nameAt = (at: string): string => at.split('/').filter(Boolean).join('.')

/** The secrets of an answer: what they are called and how they end, with copy and keep. They themselves stay in main. */
export function HeldSecrets({ secrets, connectionId, keepAs, actions, onKept }: HeldSecretsProps) {
  const { t } = useTranslation('resources')
  const [kept, setKept] = useState<KeptSecret>()
  return (
    <section className={styles.held} aria-label={t('secret.title')}>
      <p className={styles.heldHint}>
        <ShieldCheck size={15} strokeWidth={1.8} aria-hidden="true" />
        {t('secret.hint')}
      </p>
      <ul className={styles.heldList}>
        {secrets.map((secret) => (
          <li key={secret.handle} className={styles.heldSecret}>
            <KeyRound size={15} strokeWidth={1.8} aria-hidden="true" />
            <span className={styles.heldName}>
              {nameAt(secret.at)} <Code quiet>{secret.masked}</Code>
            </span>
            <SecretButtons
              {...{ secret, connectionId, keepAs }}
              onKept={(one) => {
                setKept(one)
                onKept?.(one)
              }}
            >
              {actions?.(secret)}
            </SecretButtons>
          </li>
        ))}
      </ul>
      {kept ? (
        <p className={styles.keptAs} role="status">
          {t('secret.keptAs', { name: kept.name })}
        </p>
      ) : null}
    </section>
  )
}
