// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class PackageDependencyTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.slipstream.protocol");

    /** The broker plugin runs these packages with the broker's own kafka-clients, of any supported release line. */
    @Test
    void shouldKeepThePluginsPackagesOnWhatAllBrokersHave() {
        classes()
                .that()
                .resideInAnyPackage("..protocol.control..", "..protocol.ring..", "..protocol.slot..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                "javax.crypto..",
                                "io.slipstream.protocol.control..",
                                "io.slipstream.protocol.ring..",
                                "io.slipstream.protocol.slot..",
                                "org.apache.kafka.common.protocol.types..")
                        .or(JavaClass.Predicates.equivalentTo(Uuid.class)))
                .check(CLASSES);
    }

    @Test
    void shouldKnowNeitherNettyNorRdma() {
        classes()
                .that(alwaysTrue())
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                "javax.crypto..",
                                "javax.net.ssl..",
                                "io.slipstream.protocol..",
                                "org.slf4j..")
                        .or(resideInAPackage("org.apache.kafka.common..")))
                .check(CLASSES);
    }

    @Test
    void shouldHaveNoCycles() {
        slices().matching("io.slipstream.protocol.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }
}
