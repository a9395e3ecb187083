import type { AppView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Code } from '../../ui/code'
import styles from './keychain-advice.module.css'

/** What brings a keyring to a Debian or Ubuntu that has none. */
const debianCommand = 'sudo apt-get install gnome-keyring libsecret-1-0'

/** What to do on this system so that there is a keychain, with the command to copy where one helps. */
export function KeychainAdvice({ platform }: { readonly platform: AppView['platform'] }) {
  const { t } = useTranslation('settings')
  return (
    <span className={styles.advice}>
      {t(`vault.advice.${platform}`)}
      {platform === 'linux' ? (
        <span className={styles.command}>
          <Code>{debianCommand}</Code>
          <CopyText text={debianCommand} label={t('vault.copyCommand')} />
        </span>
      ) : null}
    </span>
  )
}
