import type { settings as english } from '../en/settings'
import type { Translation } from '../texts'

/** Words of the settings page, in Vietnamese. */
export const settings: Translation<typeof english> = {
  title: 'Cài đặt',
  appearance: {
    title: 'Giao diện',
    theme: 'Chủ đề',
    system: 'Theo hệ thống',
    light: 'Sáng',
    dark: 'Tối',
    language: 'Ngôn ngữ',
    languageHint: 'Của cửa sổ và các thông báo trong đó.',
  },
  reminders: {
    title: 'Nhắc nhở',
    enabled: 'Thông báo trước khi gói hết hạn',
    hint: 'Khi ứng dụng đang chạy. Gói tự gia hạn và đủ số dư thì không cần nhắc.',
    days: 'Trước bao lâu',
    day_other: '{{count}} ngày',
  },
  vault: {
    title: 'Khóa',
    keychain: 'Được giữ trong chuỗi khóa của hệ thống',
    keychainText: 'Mỗi khóa là một mục riêng. Không khóa nào bị ghi vào tệp, trừ khi bạn chọn như vậy cho một công cụ.',
    session: 'Chỉ được giữ đến khi bạn thoát ứng dụng',
    sessionText: 'Không tìm thấy chuỗi khóa. Khi đã có, hãy tìm lại: các khóa của phiên này sẽ được chuyển vào đó.',
    recheck: 'Tìm lại',
    install: 'Cách xử lý',
    reason: 'Lý do',
    advice: {
      linux:
        'Hãy cài và mở khóa một trình quản lý khóa như GNOME Keyring hoặc KWallet, rồi đăng nhập lại. Trên Debian và Ubuntu:',
      darwin: 'Hãy mở khóa chuỗi khóa “login” trong Keychain Access.',
      win32: 'Hãy khởi động dịch vụ “Credential Manager” (VaultSvc).',
      other: 'Hãy cài một chuỗi khóa mà ứng dụng dùng được.',
    },
    copyCommand: 'Sao chép lệnh',
    found: 'Đã có chuỗi khóa. Từ giờ các khóa được giữ trong đó.',
    stillNone: 'Vẫn chưa có chuỗi khóa.',
  },
  about: {
    title: 'Giới thiệu',
    version: 'Phiên bản',
    platform: 'Hệ điều hành',
    platforms: { linux: 'Linux', darwin: 'macOS', win32: 'Windows', other: 'Khác' },
    dataDir: 'Thư mục dữ liệu',
    copyDataDir: 'Sao chép đường dẫn thư mục dữ liệu',
  },
  shortcuts: 'Phím tắt',
  notSaved: 'Không lưu được cài đặt',
}
