import type { AddressKey } from '@shared/contract'
import type { ConsentQuestion, Destination } from './consent'

type Locale = 'en' | 'vi'

/** A question as a dialog or a terminal shows it. */
interface QuestionText {
  readonly message: string
  readonly detail: string
  /** The button that agrees; the other one is `cancel`. */
  readonly agree: string
  readonly cancel: string
}

/** What no dialog should be given to draw: line breaks, control characters, and marks that turn the direction of what follows. */
const unshowable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text from outside on one line, with everything that could hide a part of it written out. */
const plain = (text: string): string =>
  text.replace(unshowable, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`)

/** A command line in one line, each argument to be told from the next. */
export const commandLine = (command: readonly string[]): string =>
  command.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : plain(JSON.stringify(part)))).join(' ')

const fields: Readonly<Record<Locale, Readonly<Record<AddressKey, string>>>> = {
  en: {
    tokenPlanUrl: 'Gateway',
    consoleUrl: 'Console',
    identityApiUrl: 'Identity',
    runtimeApiUrl: 'Runtime',
    memoryApiUrl: 'Memory',
    registryApiUrl: 'Registry',
    aipApiUrl: 'Models & API keys',
    inferenceUrl: 'Inference',
    registryHost: 'Registry host',
  },
  vi: {
    tokenPlanUrl: 'Gateway',
    consoleUrl: 'Console',
    identityApiUrl: 'Identity',
    runtimeApiUrl: 'Runtime',
    memoryApiUrl: 'Memory',
    registryApiUrl: 'Registry',
    aipApiUrl: 'Model & API key',
    inferenceUrl: 'Inference',
    registryHost: 'Host của registry',
  },
}

function destinationLines(destinations: readonly Destination[], locale: Locale): string {
  const [now, next, none] = locale === 'vi' ? ['Hiện tại', 'Mới', 'chưa có'] : ['Now', 'New', 'none']
  return destinations
    .map(({ field, from, to }) => `${fields[locale][field]}\n${now}: ${plain(from ?? none)}\n${next}: ${plain(to)}`)
    .join('\n\n')
}

const cancel: Readonly<Record<Locale, string>> = { en: 'Cancel', vi: 'Hủy' }

/** A question in the words of a language. */
export function questionText(question: ConsentQuestion, locale: Locale): QuestionText {
  const words = locale === 'vi' ? vietnamese(question) : english(question)
  return { ...words, cancel: cancel[locale] }
}

const vnd = (amount: number, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'VND' }).format(amount)

function balanceLines(credits: number, amount: number, locale: Locale): string {
  const words =
    locale === 'vi'
      ? {
          before: 'Số dư hiện tại',
          after: 'Số dư sau khi thanh toán',
          short: 'Không đủ credit, nên gia hạn sẽ thất bại.',
        }
      : { before: 'Balance now', after: 'Balance after', short: 'There are not enough credits, so the renewal fails.' }
  const lines = [`${words.before}: ${vnd(credits, locale)}`, `${words.after}: ${vnd(credits - amount, locale)}`]
  return [...lines, ...(credits < amount ? [words.short] : [])].join('\n')
}

type QuestionWords = Omit<QuestionText, 'cancel'>

function english(question: ConsentQuestion): QuestionWords {
  switch (question.kind) {
    case 'sendElsewhere': {
      const { holder, name, destinations } = question
      const what = holder === 'plan' ? 'the key of the plan' : 'the sign-in of the connection'
      return {
        message: `Send ${what} “${plain(name)}” to another address?`,
        detail: `${destinationLines(destinations, 'en')}\n\nThe secret saved on this computer will be sent to ${destinations.length === 1 ? 'the new address' : 'the new addresses'}. If you did not make this change, cancel.`,
        agree: destinations.length === 1 ? 'Use new address' : 'Use new addresses',
      }
    }
    case 'runCommand':
      return {
        message: `Let the connection “${plain(question.connection)}” run a program?`,
        detail: `${commandLine(question.command)}\n\nThe token it prints is sent to:\n${hosts(question.hosts, 'no address yet')}\n\nThe program runs on this computer with your rights. Allow it only if you know it. You will be asked again if the command changes.`,
        agree: 'Allow program',
      }
    case 'reuseCopiedSecret':
      return {
        message: `Use the secret ${question.masked} from the clipboard?`,
        detail:
          'This app copied it to the clipboard. If you go on, it can be sent to the address you enter. If you did not just paste it, cancel.',
        agree: 'Use secret',
      }
    case 'trustCertificates':
      return {
        message: `Trust the certificates of this file for the connection “${plain(question.connection)}”?`,
        detail: `${plain(question.path)}\n\nThe issuer of these certificates can read what the connection sends.`,
        agree: 'Trust file',
      }
    case 'useFolder':
      return {
        message: 'Read and change tool settings in this folder?',
        detail: plain(question.folder),
        agree: 'Use folder',
      }
    case 'allowMcp':
      return allowMcp(question, 'en')
    case 'recordMcp':
      return {
        message: 'Record the arguments of MCP calls?',
        detail:
          'Prompts and memory texts that coding tools send are then stored on this computer and shown in this app, without keys. Switching this off deletes them.',
        agree: 'Record arguments',
      }
    case 'copyMcp':
      return copyMcp(question, 'en')
    case 'sendMetrics': {
      const what = question.sendsSpans ? 'Sums and one record for each request' : 'Sums'
      const secret = question.isSigned ? ' The secret you entered goes there too.' : ''
      return {
        message: 'Send metrics of the relay to this address?',
        detail: `${plain(question.endpoint)}\n\n${what}: time, plan, tool, model, tokens, duration and errors.${secret} Prompts, responses and keys of plans are never sent.`,
        agree: 'Send metrics',
      }
    }
    case 'joinTeam':
      return joinTeam(question, 'en')
    case 'spendCredits': {
      const { plan, amount, credits } = question
      return {
        message: `Renew ${plain(plan)} now for ${vnd(amount, 'en')}?`,
        detail: `The plan expires soon, so turning on auto-renew renews it now.\n\n${balanceLines(credits, amount, 'en')}`,
        agree: 'Renew and pay',
      }
    }
    case 'openLink': {
      const url = new URL(question.url)
      const isMail = url.protocol === 'mailto:'
      return {
        message: isMail ? 'Write this email?' : `Open a link to ${url.host}?`,
        detail: `${plain(question.url)}\n\nA model wrote this ${isMail ? 'address. It opens in your mail program.' : 'link. It opens in your browser.'}`,
        agree: isMail ? 'Write email' : 'Open link',
      }
    }
    case 'openTerminal':
      return {
        message: 'Open a terminal?',
        detail: `${plain(question.program)}\n\nIt starts in this folder:\n${plain(question.folder)}`,
        agree: 'Open terminal',
      }
  }
}

function vietnamese(question: ConsentQuestion): QuestionWords {
  switch (question.kind) {
    case 'sendElsewhere': {
      const { holder, name, destinations } = question
      const what = holder === 'plan' ? 'key của gói' : 'thông tin đăng nhập của kết nối'
      return {
        message: `Gửi ${what} “${plain(name)}” đến địa chỉ khác?`,
        detail: `${destinationLines(destinations, 'vi')}\n\nSecret lưu trên máy này sẽ được gửi đến địa chỉ mới. Nếu bạn không thực hiện thay đổi này, hãy hủy.`,
        agree: 'Dùng địa chỉ mới',
      }
    }
    case 'runCommand':
      return {
        message: `Cho phép kết nối “${plain(question.connection)}” chạy một chương trình?`,
        detail: `${commandLine(question.command)}\n\nToken mà chương trình in ra được gửi đến:\n${hosts(question.hosts, 'chưa có địa chỉ')}\n\nChương trình chạy trên máy này với quyền của bạn. Chỉ cho phép nếu bạn biết rõ chương trình này. Khi lệnh thay đổi, ứng dụng sẽ hỏi lại.`,
        agree: 'Cho phép chạy',
      }
    case 'reuseCopiedSecret':
      return {
        message: `Dùng secret ${question.masked} trong clipboard?`,
        detail:
          'Ứng dụng này đã chép secret đó vào clipboard. Nếu tiếp tục, nó có thể được gửi đến địa chỉ bạn nhập. Nếu bạn không vừa dán nó, hãy hủy.',
        agree: 'Dùng secret',
      }
    case 'trustCertificates':
      return {
        message: `Tin cậy chứng chỉ trong tệp này cho kết nối “${plain(question.connection)}”?`,
        detail: `${plain(question.path)}\n\nBên tạo ra các chứng chỉ này có thể đọc những gì kết nối gửi đi.`,
        agree: 'Tin cậy tệp',
      }
    case 'useFolder':
      return {
        message: 'Đọc và thay đổi cài đặt công cụ trong thư mục này?',
        detail: plain(question.folder),
        agree: 'Dùng thư mục',
      }
    case 'allowMcp':
      return allowMcp(question, 'vi')
    case 'recordMcp':
      return {
        message: 'Ghi lại đối số của lệnh gọi MCP?',
        detail:
          'Prompt và nội dung memory mà công cụ gửi sẽ được lưu trên máy này và hiện trong ứng dụng, không kèm key. Khi tắt, chúng bị xóa.',
        agree: 'Ghi đối số',
      }
    case 'copyMcp':
      return copyMcp(question, 'vi')
    case 'sendMetrics': {
      const what = question.sendsSpans ? 'Tổng số và một bản ghi cho mỗi request' : 'Tổng số'
      const secret = question.isSigned ? ' Secret bạn đã nhập cũng được gửi đến đó.' : ''
      return {
        message: 'Gửi metric của relay đến địa chỉ này?',
        detail: `${plain(question.endpoint)}\n\n${what}: thời gian, gói, công cụ, model, token, thời lượng và lỗi.${secret} Prompt, phản hồi và key của gói không bao giờ được gửi.`,
        agree: 'Gửi metric',
      }
    }
    case 'joinTeam':
      return joinTeam(question, 'vi')
    case 'spendCredits': {
      const { plan, amount, credits } = question
      return {
        message: `Gia hạn ${plain(plan)} ngay với ${vnd(amount, 'vi')}?`,
        detail: `Gói sắp hết hạn nên bật tự động gia hạn sẽ gia hạn gói ngay.\n\n${balanceLines(credits, amount, 'vi')}`,
        agree: 'Gia hạn và thanh toán',
      }
    }
    case 'openLink': {
      const url = new URL(question.url)
      const isMail = url.protocol === 'mailto:'
      return {
        message: isMail ? 'Viết email này?' : `Mở liên kết đến ${url.host}?`,
        detail: `${plain(question.url)}\n\nModel đã viết ${isMail ? 'địa chỉ này. Địa chỉ mở trong ứng dụng email của bạn.' : 'liên kết này. Liên kết mở trong trình duyệt của bạn.'}`,
        agree: isMail ? 'Viết email' : 'Mở liên kết',
      }
    }
    case 'openTerminal':
      return {
        message: 'Mở terminal?',
        detail: `${plain(question.program)}\n\nTerminal mở tại thư mục này:\n${plain(question.folder)}`,
        agree: 'Mở terminal',
      }
  }
}

function joinTeam(
  { user, address, space, fingerprint }: Extract<ConsentQuestion, { kind: 'joinTeam' }>,
  locale: Locale,
): QuestionWords {
  const isVietnamese = locale === 'vi'
  const [team, trusted] = isVietnamese
    ? ['Nhóm', 'Chứng chỉ được tin cậy (SHA-256)']
    : ['Team', 'Trusted certificate (SHA-256)']
  const facts = [`${team}: ${plain(space)}`, ...(fingerprint ? [`${trusted}: ${fingerprint}`] : [])].join('\n')
  return isVietnamese
    ? {
        message: `Gửi mật khẩu của “${plain(user)}” đến ${plain(address)}?`,
        detail: `${facts}\n\nTại đó, nhóm của bạn thấy ai giữ key nào. Bản thân key không rời khỏi máy này.`,
        agree: 'Gửi mật khẩu',
      }
    : {
        message: `Send the password of “${plain(user)}” to ${plain(address)}?`,
        detail: `${facts}\n\nYour team sees who holds which key there. Keys themselves stay on this computer.`,
        agree: 'Send password',
      }
}

const hosts = (all: readonly string[], none: string): string => (all.length > 0 ? all.join('\n') : none)

function copyMcp(question: Extract<ConsentQuestion, { kind: 'copyMcp' }>, locale: Locale): QuestionWords {
  const [tools, server, runs] = [question.tools.map(plain).join(', '), plain(question.server), plain(question.runs)]
  const values = question.values.map(plain).join(', ')
  const files = question.files.map(plain).join('\n')
  if (locale === 'vi') {
    const told = !values
      ? 'Các giá trị có thể là secret không được sao chép.'
      : files
        ? `Các giá trị sau, có thể là secret, được ghi dưới dạng văn bản thuần: ${values}.\n\n${files}`
        : `Các giá trị sau được lưu trong keychain và chỉ đưa cho server khi nó chạy: ${values}.`
    const message = `Cho phép ${tools} dùng MCP server “${server}”?`
    return { message, detail: `${runs}\n\n${told}`, agree: 'Sao chép server' }
  }
  const told = !values
    ? 'Values that may be secrets are left out.'
    : files
      ? `These values, which may be secrets, are written as plain text: ${values}.\n\n${files}`
      : `These values are saved in the keychain and given to the server when it starts: ${values}.`
  return { message: `Let ${tools} use the MCP server “${server}”?`, detail: `${runs}\n\n${told}`, agree: 'Copy server' }
}

function allowMcp(
  { tool: name, permission }: Extract<ConsentQuestion, { kind: 'allowMcp' }>,
  locale: Locale,
): QuestionWords {
  const isAsking = permission === 'ask_model'
  const tool = plain(name)
  if (locale === 'vi')
    return {
      message: isAsking
        ? `Cho phép ${tool} gửi prompt tới model trong gói của bạn?`
        : `Cho phép ${tool} ghi vào memory của nền tảng?`,
      detail: isAsking
        ? 'Mỗi prompt dùng quota của gói. Công cụ tự quyết định khi nào gửi. Bạn có thể tắt bất cứ lúc nào.'
        : 'Công cụ thêm sự kiện và bản ghi vào memory của kết nối đang dùng. Bạn có thể tắt bất cứ lúc nào.',
      agree: 'Bật',
    }
  return {
    message: isAsking
      ? `Let ${tool} send prompts to models of your plans?`
      : `Let ${tool} write to memories of the platform?`,
    detail: isAsking
      ? 'Each prompt uses quota of a plan. The tool decides when it sends one. You can switch this off at any time.'
      : 'The tool adds events and records to memories of the active connection. You can switch this off at any time.',
    agree: 'Switch on',
  }
}
