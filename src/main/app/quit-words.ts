// Apart from quit-guard.ts because tests outside of Electron read the order of the buttons.

type Locale = 'en' | 'vi'

/** What a person can do about tools that would fail. */
export type QuitAnswer = 'background' | 'pointBack' | 'quit' | 'cancel'

/** In the order of the buttons. */
export const quitAnswers: readonly QuitAnswer[] = ['background', 'pointBack', 'quit', 'cancel']

interface QuitWords {
  readonly message: string
  readonly detail: string
  readonly buttons: Readonly<Record<QuitAnswer, string>>
}

/** What the system's dialog asks before the relay ends with the app; `tools` are the names of those that go through it. */
export function quitWords(tools: readonly string[], locale: Locale): QuitWords {
  const names = tools.join(', ')
  if (locale === 'vi')
    return {
      message: 'Một số công cụ đang dùng relay',
      detail: `Relay dừng khi ứng dụng thoát. Các công cụ sau sẽ báo lỗi: ${names}.`,
      buttons: {
        background: 'Tiếp tục chạy nền',
        pointBack: 'Chuyển sang kết nối trực tiếp…',
        quit: 'Vẫn thoát',
        cancel: 'Hủy',
      },
    }
  return {
    message: 'Some tools use the relay',
    detail: `The relay stops when the app quits. These tools will then fail: ${names}.`,
    buttons: {
      background: 'Keep running in the background',
      pointBack: 'Switch to direct connection…',
      quit: 'Quit anyway',
      cancel: 'Cancel',
    },
  }
}
