# Homebrew formula for a tap. A release fills in the version and the checksums.
class Zoneward < Formula
  desc "Keep the security configuration of Cloudflare zones in git"
  homepage "https://github.com/zoneward/zoneward"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    depends_on arch: :arm64
    url "https://github.com/zoneward/zoneward/releases/download/v@VERSION@/zoneward-macos-arm64"
    sha256 "@SHA256 zoneward-macos-arm64@"
  end

  on_linux do
    on_arm do
      url "https://github.com/zoneward/zoneward/releases/download/v@VERSION@/zoneward-linux-arm64"
      sha256 "@SHA256 zoneward-linux-arm64@"
    end
    on_intel do
      url "https://github.com/zoneward/zoneward/releases/download/v@VERSION@/zoneward-linux-x64"
      sha256 "@SHA256 zoneward-linux-x64@"
    end
  end

  def install
    bin.install Dir["zoneward-*"].first => "zoneward"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/zoneward version").strip
  end
end
