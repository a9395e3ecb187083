import type { AppView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Code } from '../../ui/code'

/** What brings a keyring to a Debian or Ubuntu that has none. */
const debianCommand = 'sudo apt-get install gnome-keyring libsecret-1-0'

/** What to do on this system so that there is a keychain, with the command to copy where one helps. */
export function KeychainAdvice({ platform }: { readonly platform: AppView['platform'] }) {
  const { t } = useTranslation('settings')
  return (
    <span className="block">
      {t(`vault.advice.${platform}`)}
      {platform === 'linux' ? (
        <span className="mt-0.75 flex min-w-0 items-center gap-1">
          <Code>{debianCommand}</Code>
          <CopyText text={debianCommand} label={t('vault.copyCommand')} />
        </span>
      ) : null}
    </span>
  )
}
